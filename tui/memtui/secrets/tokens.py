# ruff: noqa: E501 - the longest pattern of the table
"""Keys and tokens recognised by their form, as their vendors document it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from memtui.ground.patterns import deferred
from memtui.secrets.secret_spans import Span

_RULES = r"""
aws key id|AKIA|AKIA[A-Z0-9]{16}
aws key id|ASIA|ASIA[A-Z0-9]{16}
aws key id|ABIA|ABIA[A-Z0-9]{16}
aws key id|ACCA|ACCA[A-Z0-9]{16}
aws bedrock key|ABSK|ABSK[A-Za-z0-9+/]{100,}={0,2}
google api key|AIza|AIza[A-Za-z0-9_-]{35}
google api key|AQ.Ab|AQ\.Ab[A-Za-z0-9_-]{40,}
google client secret|GOCSPX-|GOCSPX-[A-Za-z0-9_-]{24,}
google token|ya29.|ya29\.[A-Za-z0-9_-]{20,}
google token|1//0|1//0[A-Za-z0-9_-]{35,}
firebase key|:APA91b|[A-Za-z0-9_-]{7,20}:APA91b[A-Za-z0-9_-]{100,}
azure client secret|Q~|[A-Za-z0-9_~.-]{3}[0-9]Q~[A-Za-z0-9_~.-]{31,34}
azure devops token|AZDO|[A-Za-z0-9]{70,80}AZDO[A-Za-z0-9]{4}
azure key|JQQJ99|[A-Za-z0-9]{50,60}JQQJ99[A-Za-z0-9]{20,30}
digitalocean token|_v1_|do[opr]_v1_[a-f0-9]{64}
heroku token|HRKU-|HRKU-[A-Za-z0-9_-]{30,}
cloudflare key|v1.0-|v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}
cloudflare token|cf|cf(?:ut|at|k|ap)_[A-Za-z0-9]{36,}
alibaba key id|LTAI|LTAI[A-Za-z0-9]{12,26}
tencent key id|AKID|AKID[A-Za-z0-9]{28,36}
yandex key|AQVN|AQVN[A-Za-z0-9_-]{34,}
yandex token|t1.|t1\.[A-Z0-9a-z_-]{40,}={0,2}\.[A-Z0-9a-z_-]{80,}={0,2}
ibm key|IBMCLOUD|IBMCLOUD_[A-Za-z0-9_-]{40,}
scaleway key id|SCW|SCW[A-Z0-9]{17}
fly token|fo1_|fo1_[A-Za-z0-9_-]{40,}
fly token|fm|fm[12][ar]?_[A-Za-z0-9+/_-]{60,}={0,3}
vercel token|vc|vc[pikra]_[A-Za-z0-9]{24,}
netlify token|nfp_|nfp_[A-Za-z0-9]{36,}
render key|rnd_|rnd_[A-Za-z0-9]{28,}
supabase token|sbp_|sbp_(?:oauth_)?[a-f0-9]{40}
supabase secret|sb_secret_|sb_secret_[A-Za-z0-9_-]{20,}
planetscale token|pscale_|pscale_(?:tkn|oauth|pw)_[A-Za-z0-9_.=-]{30,}
neon key|napi_|napi_[a-z0-9]{50,}
databricks token|dapi|dapi[a-f0-9]{32}(?:-\d)?
doppler token|dp.|dp\.(?:pt|st|ct|sa|scim|audit)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}
vault token|hv|hv[sbr]\.[A-Za-z0-9_-]{20,}
terraform token|.atlasv1.|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,}
pulumi token|pul-|pul-[a-f0-9]{40}
1password token|ops_eyJ|ops_eyJ[A-Za-z0-9+/_=-]{80,}
1password key|A3-|A3-[A-Z0-9]{6}-(?:[A-Z0-9]{5,6}-){3,6}[A-Z0-9]{5,6}
private key|LS0tLS1CRUdJTi|LS0tLS1CRUdJTi(?:BQUklW|BSU0Eg|BFQyBQ|BPUEVO|BFTkNS|BEU0Eg|BQR1Ag)[A-Za-z0-9+/=]{40,}
age key|AGE-SECRET-KEY-|AGE-SECRET-KEY-(?:PQ-)?1[A-Z0-9]{50,}
tailscale key|tskey-|tskey-(?:[a-z]+-)?[A-Za-z0-9]{6,}(?:-[A-Za-z0-9]{6,})*
grafana token|glc_|glc_[A-Za-z0-9+/]{32,}={0,2}
grafana token|glsa_|glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}
new relic key|NR|NR(?:AK|JS|II|IQ|AL|SP)-[A-Za-z0-9_-]{19,42}
new relic key|NRAL|[a-f0-9]{32,36}(?:FFFF)?NRAL
sentry token|sntrys_|sntrys_[A-Za-z0-9+/=_-]{40,}
sentry token|sntryu_|sntryu_[a-f0-9]{64}
dynatrace token|dt0|dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}
honeycomb key|hc|hc[axm][il]k_[a-z0-9]{50,}
posthog key|ph|ph[xs]_[A-Za-z0-9]{40,}
elastic key|essu_|essu_[A-Za-z0-9+/=_-]{40,}
linear key|lin_|lin_(?:api|oauth|wh)_[A-Za-z0-9]{30,}
notion token|secret_|secret_[A-Za-z0-9]{43}
notion token|ntn_|ntn_[A-Za-z0-9]{40,}
airtable token|pat|pat[A-Za-z0-9]{14}\.[a-f0-9]{64}
asana token|/|[012]/\d{10,20}(?:/\d{10,20})?:[a-f0-9]{32}
figma token|fig|fig(?:d|o|dr|or|u|oh)_[A-Za-z0-9_-]{30,}
atlassian token|AT|AT(?:ATT|CTT)3[A-Za-z0-9_=-]{50,}
bitbucket token|ATBB|ATBB[A-Za-z0-9_=-]{24,}
trello token|ATTA|ATTA[a-f0-9]{60,}
contentful token|CFPAT-|CFPAT-[A-Za-z0-9_-]{40,}
dropbox token|sl.|sl\.(?:u\.)?[A-Za-z0-9_-]{60,}
frame.io token|fio-u-|fio-u-[A-Za-z0-9_=-]{60,}
shippo token|shippo_|shippo_(?:live|test)_[a-f0-9]{40}
duffel token|duffel_|duffel_(?:test|live)_[A-Za-z0-9_=-]{40,}
easypost key|EZ|EZ[AT]K[A-Za-z0-9]{50,}
adafruit key|aio_|aio_[A-Za-z0-9]{28}
prefect key|pn|pn[ub]_[A-Za-z0-9]{36}
infracost key|ico-|ico-[A-Za-z0-9]{32}
postman key|PM|PM(?:AK|AT)-[A-Za-z0-9]{24,26}(?:-[a-f0-9]{34})?
rubygems key|rubygems_|rubygems_[a-f0-9]{48}
npm token|npm_|npm_[A-Za-z0-9]{36,}
pypi token|pypi-|pypi-[A-Za-z0-9_-]{50,}
crates.io token|cio|cio[A-Za-z0-9]{32}
nuget key|oy2|oy2[a-z0-9]{43}
clojars token|CLOJARS_|CLOJARS_[a-z0-9]{60}
docker token|dckr_|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}
artifactory token|AKCp|AKCp[A-Za-z0-9]{60,}
artifactory token|cmVmdGtu|cmVmdGtu[A-Za-z0-9]{50,}
jsr token|jsrp_|jsr[pd]_[A-Za-z0-9]{40,}
cargo token|crp_|crp_[A-Za-z0-9]{30,}
github token|gh|gh[opusr]_[A-Za-z0-9]{36,}
github token|github_pat_|github_pat_[A-Za-z0-9_]{40,}
gitlab token|gl|gl(?:pat|ptt|dt|rt|rtr|oas|soat|cbt|agent|imt|ft|wt|ffct)-[A-Za-z0-9_.-]{20,}
gitlab token|GR1348941|GR1348941[A-Za-z0-9_-]{20,}
sourcegraph token|sgp_|sgp_(?:[A-Za-z0-9-]{5,20}_)?[a-f0-9]{40}
packagist token|packagist_|packagist_[a-z]{2,4}_[a-f0-9]{68}
deno token|ddp_|ddp_[A-Za-z0-9]{36}
vercel token|vercel_blob_rw_|vercel_blob_rw_[A-Za-z0-9]{16}_[A-Za-z0-9]{30,}
salesforce token|00D|00D[A-Za-z0-9]{12,15}![A-Za-z0-9._]{80,}
infisical token|st.|st\.[a-f0-9]{24}\.[a-f0-9]{32}\.[a-f0-9]{32}
openshift token|sha256~|sha256~[A-Za-z0-9_-]{43}
clickhouse key|4b1d|4b1d[A-Za-z0-9]{38}
convex key|:|(?:prod|dev|preview):[a-z]+-[a-z]+-\d+\|[A-Za-z0-9+/=]{40,}
private key|LS0tLS1CRUdJTiB|LS0tLS1CRUdJTiB(?:SU0Eg|QUklWQVRF|FQyBQ|PUEVOU1NI|FTkNSWVBURUQ)[A-Za-z0-9+/]{20,}={0,2}
circleci token|CCIP|CCIP(?:AT|RJ)_[A-Za-z0-9]{20,}_[a-f0-9]{40}
buildkite token|bk|bk(?:ua|aj|ct)_[A-Za-z0-9]{36,}
snyk token|snyk_|snyk_(?:uat|sat)\.[a-f0-9]{8}\.[A-Za-z0-9._-]{40,}
sonar token|sq|sq[apu]_[a-f0-9]{40}
slack token|xox|xox[abceoprs](?:\.xox[bp])?-[A-Za-z0-9-]{10,}
slack token|xapp-|xapp-\d-[A-Za-z0-9]+-\d+-[A-Za-z0-9]{20,}
slack webhook|hooks.slack.com|(?<=hooks\.slack\.com/)(?:services|workflows|triggers)/[A-Za-z0-9/_+-]{20,}
discord token|.|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,40}
discord webhook|/api/webhooks/|(?<=/api/webhooks/)\d{15,22}/[A-Za-z0-9_-]{50,}
telegram token|:A|(?:bot)?\d{8,10}:A[A-Za-z0-9_-]{34}
teams webhook|IncomingWebhook|(?<=IncomingWebhook/)[a-f0-9]{32}/[a-f0-9-]{36}(?:/[A-Za-z0-9_-]+)?
feishu webhook|/bot/v2/hook/|(?<=/bot/v2/hook/)[A-Za-z0-9-]{30,}
wecom webhook|/webhook/send?key=|(?<=/webhook/send\?key=)[A-Za-z0-9-]{30,}
twilio key|SK|SK[a-f0-9]{32}
zapier webhook|hooks.zapier.com|(?<=hooks\.zapier\.com/)hooks/catch/\d+/[A-Za-z0-9]+
stripe key|_live_|[rs]k_live_[A-Za-z0-9]{16,}
stripe key|_test_|[rs]k_test_[A-Za-z0-9]{16,}
webhook secret|whsec_|whsec_[A-Za-z0-9+/=_-]{24,}
square token|sq0|sq0(?:atp|csp|idp|idb)-[A-Za-z0-9_-]{22,}
square token|EAAA|EAAA[A-Za-z0-9_-]{60}
paypal token|access_token$|access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}
razorpay key|rzp_|rzp_(?:live|test)_[A-Za-z0-9]{14}(?::[A-Za-z0-9]{20,})?
flutterwave key|FLWSECK|FLWSECK(?:_TEST)?-[A-Za-z0-9]{12,40}-X
mollie key|live_|live_[A-Za-z0-9]{30,40}
mollie key|test_|test_(?=[a-zA-Z]*\d)[A-Za-z0-9]{30,40}
plaid token|access-|access-(?:sandbox|development|production)-[a-f0-9-]{36}
shopify token|shp|shp(?:at|ca|pa|ss|ua|tka)_[A-Fa-f0-9]{32}
facebook token|EAA|EAA[A-Za-z0-9]{60,}
x token|AAAAAAAAAAAA|AAAAAAAAAAAAAAAAAA[A-Za-z0-9%]{40,}
anthropic key|sk-ant-|sk-ant-[A-Za-z0-9_-]{20,}
openrouter key|sk-or-|sk-or-(?:v1-)?[a-f0-9]{40,}
openai key|sk-|sk-(?:proj-|svcacct-|admin-|None-)?[A-Za-z0-9_-]{32,}
api key|sk-|sk-[A-Za-z0-9]{20,31}
api key|sk-|sk-[a-z]{2,12}-(?=[a-zA-Z-]*\d)[A-Za-z0-9_-]{20,}
elevenlabs key|sk_|sk_[a-f0-9]{48}
hugging face token|hf_|hf_[A-Za-z0-9]{30,}
hugging face token|api_org_|api_org_[A-Za-z0-9]{30,}
groq key|gsk_|gsk_[A-Za-z0-9]{40,}
replicate token|r8_|r8_[A-Za-z0-9]{36,}
perplexity key|pplx-|pplx-[A-Za-z0-9]{40,}
xai key|xai-|xai-[A-Za-z0-9]{60,}
cerebras key|csk-|csk-[A-Za-z0-9]{40,}
fireworks key|fw_|fw_[A-Za-z0-9]{22,}
together key|tgp_v1_|tgp_v1_[A-Za-z0-9_-]{40,}
nvidia key|nvapi-|nvapi-[A-Za-z0-9_-]{50,}
langsmith key|lsv2_|lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}
pinecone key|pcsk_|pcsk_[A-Za-z0-9_]{50,}
tavily key|tvly-|tvly-(?:(?:dev|prod)-)?[A-Za-z0-9-]{20,}
jina key|jina_|jina_[A-Za-z0-9_-]{50,}
voyage key|pa-|pa-[A-Za-z0-9_-]{43}
firecrawl key|fc-|fc-[a-f0-9]{32}
e2b key|e2b_|e2b_[a-f0-9]{40}
wandb key|wandb_v|wandb_v\d_[A-Za-z0-9_-]{40,}
sendgrid key|SG.|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,64}
mailgun key|key-|key-[a-f0-9]{32}
mailgun key|-|[a-f0-9]{32}-[a-f0-9]{8}-[a-f0-9]{8}
mailchimp key|-us|[a-f0-9]{32}-us\d{1,2}
brevo key|keysib-|x(?:keysib|smtpsib)-[a-f0-9]{64}-[A-Za-z0-9]{16}
brevo key|xsmtpsib-|xsmtpsib-[a-f0-9]{64}-[A-Za-z0-9]{16}
resend key|re_|re_[A-Za-z0-9]{6,10}_[A-Za-z0-9]{20,28}
mailersend token|mlsn.|mlsn\.[a-f0-9]{60,}
mapbox token|sk.eyJ|sk\.eyJ[A-Za-z0-9_-]{30,}\.[A-Za-z0-9_-]{20,}
hubspot token|pat-|pat-(?:na|eu|ap)\d-[a-f0-9-]{36}
typeform token|tfp_|tfp_[A-Za-z0-9_.-]{40,}
readme key|rdme_|rdme_[a-z0-9]{60,}
launchdarkly key|-|(?:sdk|api)-[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[a-f0-9]{4}-[a-f0-9]{12}
langfuse key|sk-lf-|sk-lf-[a-f0-9-]{36}
ghost key|:|[a-f0-9]{24}:[a-f0-9]{64}
unkey key|unkey_|unkey_[A-Za-z0-9]{20,}
liveblocks key|sk_prod_|sk_(?:prod|dev)_[A-Za-z0-9_-]{30,}
intercom token|dG9rO|dG9rO[A-Za-z0-9+/]{40,}={0,2}
password hash|$2|\$2[abxy]\$\d{2}\$[A-Za-z0-9./]{53}
password hash|$argon2|\$argon2(?:id|i|d)\$[A-Za-z0-9=,$+/-]{30,}
password hash|$6$|\$6\$(?:rounds=\d+\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{80,90}
password hash|$5$|\$5\$(?:rounds=\d+\$)?[A-Za-z0-9./]{1,16}\$[A-Za-z0-9./]{40,46}
password hash|$y$|\$y\$[A-Za-z0-9./]{2,10}\$[A-Za-z0-9./]{10,30}\$[A-Za-z0-9./]{40,46}
password hash|{S|\{(?:SSHA|SMD5|SHA|SSHA\d{3})\}[A-Za-z0-9+/]{20,}={0,2}
password hash|$apr1$|\$apr1\$[A-Za-z0-9./]{1,8}\$[A-Za-z0-9./]{22}
json web token|eyJ|eyJ[A-Za-z0-9_-]{8,8000}\.(?:eyJ[A-Za-z0-9_-]{8,20000}|[A-Za-z0-9_-]{0,2000}\.[A-Za-z0-9_-]{8,500})(?:\.[A-Za-z0-9_-]{0,20000}){0,2}
"""
"""Kind, a text that every such token contains, pattern. The first kind that matches is reported."""

# Not \b, which is Unicode-aware: there is no boundary next to Chinese text or an underscore.
# Text before a match is examined afterwards: a pattern that begins with a letter is ten times faster.
_BEFORE = deferred("[A-Za-z0-9]")
_END = "(?![A-Za-z0-9])"

_SHORTEST = 14
"""Length of the shortest token, in characters."""

_DIGIT = deferred("[0-9]")
_FIRST = deferred(r"[\w]|\\[^\w]")
_KEY_BEGIN = deferred(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|-----BEGIN OpenVPN Static key V1-----"
)
_KEY_END = "-----"
_KEY_LENGTH = 20_000
_KEY_REST = deferred(r"(?:\s?\\?[rn]?[A-Za-z0-9+/=:,-]{1,80}){0,300}")
_PUTTY = deferred(r"Private-Lines: \d{1,4}\s+(?P<body>(?:[A-Za-z0-9+/=]{10,80}\s?){1,200})")
_JWK = deferred(r'"d"\s{0,5}:\s{0,5}"(?P<body>[A-Za-z0-9_-]{40,2000})"')


@cache
def _rules() -> list[tuple[str, str, str]]:
    return [tuple(line.split("|", 2)) for line in _RULES.strip().split("\n")]  # type: ignore[misc]


@cache
def _rules_for_the_middle() -> list[tuple[str, str, str]]:
    """Rules for tokens that may begin with several characters: their known part comes later."""
    return [rule for rule in _rules() if not _FIRST.match(rule[2])]


@cache
def _known_beginnings() -> re.Pattern[str]:
    """A pattern for the tokens with a literal beginning, which fails faster than all of them separately."""
    by_letter: dict[str, list[str]] = {}
    for _, _, pattern in _rules():
        if first := _FIRST.match(pattern):
            by_letter.setdefault(first[0], []).append(pattern[first.end() :])
    either = "|".join(f"{first}(?:{'|'.join(rests)})" for first, rests in by_letter.items())
    return re.compile(f"(?<![A-Za-z0-9])(?:{either})")


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern + _END)


def tokens(text: str) -> Iterator[Span]:
    """Spans of known keys and tokens, and of private keys."""
    if "PRIVATE KEY" in text or "Static key" in text:
        yield from _key_blocks(text)
    if "Private-Lines" in text:
        yield from (Span(*found.span("body"), "private key") for found in _PUTTY.finditer(text))
    if '"kty"' in text:
        yield from (Span(*found.span("body"), "private key") for found in _JWK.finditer(text))
    long = {word for word in text.split() if len(word) >= _SHORTEST}
    words = "\n".join(long)
    rules = _rules()
    if not _known_beginnings().search(words):
        rules = _rules_for_the_middle()
        words = "\n".join(filter(_DIGIT.search, long))
    if not words:
        return
    for kind, part, pattern in rules:
        # No token contains a blank: only the few words with such a literal are examined.
        if part in words and next(_fitting(_compiled(pattern), words), None) is not None:
            yield from (Span(*found.span(), kind) for found in _fitting(_compiled(pattern), text))


def _key_blocks(text: str) -> Iterator[Span]:
    for begin in _KEY_BEGIN.finditer(text):
        start = begin.end()
        end = text.find(_KEY_END, start, start + _KEY_LENGTH)
        if end < 0:  # truncated: as far as its lines reach
            rest = _KEY_REST.match(text, start)
            end = rest.end() if rest else start
        if text[start:end].strip():
            yield Span(start, end, "private key")


def _fitting(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    at = 0
    while (found := pattern.search(text, at)) is not None:
        start = found.start()
        if start and _BEFORE.match(text, start - 1):
            at = start + 1
        else:
            at = found.end()
            yield found
