# ruff: noqa: E501 - one form a line
"""Lines of ordinary work in which nothing is a secret, though some look a little like one."""

from __future__ import annotations

import random
import string
from functools import cache

_B64 = string.ascii_letters + string.digits + "+/"
_WORDS = [
    "user",
    "session",
    "account",
    "order",
    "refresh",
    "access",
    "cache",
    "page",
    "request",
    "client",
    "server",
    "item",
    "config",
    "result",
]
_VERBS = ["get", "load", "make", "read", "fetch", "build", "parse", "find", "create", "check"]

CODE = """
token: {v}TokenFromCookie2
const token = {v}Token{n}(user)
let {w}Token = await {v}{W}Token2(request.headers);
password: string
password: str = Field(min_length=8)
password: {w}.password2
private password?: string | null;
self.password = password
token = self.{v}_{w}_token(2)
if (password !== confirmPassword2) return "Passwords do not match";
"password": "Password",
"forgotPassword": "Forgot your password?",
<input type="password" name="password" autocomplete="current-password" />
secret: process.env.{U}_SECRET,
password=os.environ["{U}_PASSWORD"]
password = os.getenv("DB_PASSWORD2", "")
api_key=settings.{U}_API_KEY
DB_PASSWORD=${{DB_PASSWORD}}
DB_PASSWORD=$DB_PASSWORD_2
API_KEY=your-api-key-here
API_KEY=<your key>
GITHUB_TOKEN: ${{{{ secrets.GITHUB_TOKEN }}}}
max_tokens: {n}
"total_tokens": {n},
input_tokens={n}, output_tokens={n}
tokenizer = AutoTokenizer.from_pretrained("bert-base-uncased")
def test_{v}_{w}_token_{n}(client):
key: "{w}.{w}.title{n}"
cache_key = f"{w}:{{{w}_id}}:v2"
<li key={{{w}.id}}>
PRIMARY KEY (id, {w}_id2)
"keyCode": {n}
sort_key = lambda item2: item2.{w}
Authorization: Bearer ${{token2}}
headers={{"Authorization": f"Bearer {{self.access_token}}"}}
curl -H "Authorization: Bearer $TOKEN" https://example.org/v1/{w}s
curl -u "$USER:$PASS" https://example.org
psql postgres://$USER:$PASS@localhost:5432/app
url = f"postgres://{{user}}:{{password}}@{{host}}/db"
https://example.org:8080/path@2x.png
git@github.com:acme/{w}.git
ssh://git@example.org:22/acme/{w}.git
npm install @acme/{w}@1.{n}.0
"@types/jsonwebtoken": "^9.0.{n}",
"password-hash": "^1.2.2",
import {{ Token{n}, SecretKey }} from "../{w}/token";
assert response.json()["token"] == {w}_token2
type SecretKey2 = keyof typeof {w};
secretName: {w}-tls-cert
secret_id = "{w}/{w}/production"
password_hash = bcrypt.hashpw(password2, salt)
validate: {{ password: "required|min:8" }}
token_url = "https://example.org/oauth2/token"
class AccessToken{n}(BaseModel):
raise ValueError("token is invalid, expected 3 segments")
log.info("token %s expired after %d s", token_id, 3600)
cookie: {{ httpOnly: true, sameSite: "lax", maxAge: 86400 }}
const cookies2 = parseCookies(req.headers.cookie)
<string name="password_hint">At least 8 characters</string>
--token-file /run/secrets/{w}_token_{n}
password_file: /run/secrets/db_password2
ssh -i ~/.ssh/id_ed25519 deploy@10.0.0.{m}
docker run -p 8080:80 -e NODE_ENV=production {w}:1.{n}
mysql -u root -p {w}_db
python -m pytest -k "token and not secret" -p no:cacheprovider
:key="{w}.id2"
auth: Auth2Client | None = None
author: Jane Doe <jane@example.org>
pass
--- PASS: Test{W}Token/{w}_with_prefix_{n} (0.00s)
PASS: {W}{n}
pass_count=12, fail_count=3
bypass = compute_bypass3({w})
passthrough: {w}{n}
keys: ["{w}1", "{w}2"]
keyboard: us-intl2
monkey2 = donkey3
primary_key=True, foreign_key="{w}.id"
"token_type": "bearer",
return token.split(".")[1]
jwt.decode(token2, public_key, algorithms=["RS256"])
signature: (a: number, b: string) => void
expect(screen.getByLabelText("Password")).toBeInTheDocument();
await page.fill("#password", user2.password);
tokens.colors.{w}500
theme.tokens.space4
--{w}-key-color2: #a1b2c3;
"""

PROSE = """
The password must have at least 12 characters, one of them a digit.
I changed how the token is refreshed in version 2.{n}; the secret stays in the vault.
Please rotate the API key every 90 days, as described in section 4.{m}.
Das Passwort muss mindestens 12 Zeichen lang sein, siehe Abschnitt 4.{m}.
Der Schl\xfcssel: zuerst messen, dann \xe4ndern (Ticket {n}).
Le mot de passe : au moins 12 caract\xe8res, dont 1 chiffre.
La contrase\xf1a es obligatoria y el token caduca en {n} segundos.
\u5bc6\u7801\u662f\u5fc5\u586b\u9879\uff0c\u81f3\u5c11 12 \u4e2a\u5b57\u7b26\u3002
\u8bf7\u68c0\u67e5 token \u662f\u5426\u8fc7\u671f\uff0c\u7b2c {n} \u884c\u3002
\u30d1\u30b9\u30ef\u30fc\u30c9\u306f 12 \u6587\u5b57\u4ee5\u4e0a\u306b\u3057\u3066\u304f\u3060\u3055\u3044\u3002
\ube44\ubc00\ubc88\ud638\ub294 12\uc790 \uc774\uc0c1\uc774\uc5b4\uc57c \ud569\ub2c8\ub2e4.
\u041f\u0430\u0440\u043e\u043b\u044c \u0434\u043e\u043b\u0436\u0435\u043d \u0431\u044b\u0442\u044c \u043d\u0435 \u043a\u043e\u0440\u043e\u0447\u0435 12 \u0441\u0438\u043c\u0432\u043e\u043b\u043e\u0432.
A senha deve ter pelo menos 12 caracteres.
The key: never guess, always measure twice.
Basic authentication is off; Bearer tokens are checked by the gateway.
Cookie: a small piece of data that a browser keeps.
He passed token ring 802.5 and kept the secret to himself in 1997.
"""


def _text(chance: random.Random, letters: str, length: int) -> str:
    return chance.randbytes(length).translate(_letters(letters)).decode()


@cache
def _letters(letters: str) -> bytes:
    return bytes(ord(letters[byte % len(letters)]) for byte in range(256))


def _hashes(chance: random.Random) -> str:
    hexadecimal = "0123456789abcdef"
    git, short = _text(chance, hexadecimal, 40), _text(chance, hexadecimal, 7)
    uuid = "-".join(_text(chance, hexadecimal, size) for size in (8, 4, 4, 4, 12))
    word = chance.choice(_WORDS)
    return chance.choice((
        f"commit {git}", f"{short} Fix the {word} token", f"index {short}..{_text(chance, hexadecimal, 7)} 100644",
        f"id: {uuid}", f'"uuid": "{uuid}",', f"/{word}s/{uuid}/edit", f'"sessionId":"{uuid}"',
        f'"integrity": "sha512-{_text(chance, _B64, 86)}==",', f"integrity sha1-{_text(chance, _B64, 27)}=",
        f'    {{file = "{word}-1.2.tar.gz", hash = "sha256:{_text(chance, hexadecimal, 64)}"}},',
        f"github.com/acme/{word} v1.2.3 h1:{_text(chance, _B64, 43)}=", f'checksum = "{_text(chance, hexadecimal, 64)}"',
        f"resolved https://registry.example.org/{word}/-/{word}-1.2.3.tgz#{git}", f"sha256:{_text(chance, hexadecimal, 64)}",
        f"--hash=sha256:{_text(chance, hexadecimal, 64)} \\", f"ETag: \"{_text(chance, hexadecimal, 32)}\"",
        f"uses: actions/checkout@{git}", f"data:image/png;base64,{_text(chance, _B64, 200)}",
        f"toolu_{_text(chance, _B64[:62], 24)}",
        f"/home/me/{word}/tokens/{_text(chance, hexadecimal, 12)}/secret_key_{chance.randrange(99)}.py",
        f"src/auth/password-reset.{_text(chance, hexadecimal, 8)}.chunk.js", f"msg_{_text(chance, _B64[:62], 24)}",
        f"0x{_text(chance, hexadecimal, 40)}", f"1{_text(chance, '0123456789', 12)} {short}",
    ))  # fmt: skip


def ordinary_lines(count: int, seed: int = 7) -> list[str]:
    chance = random.Random(seed)
    templates = [line for text in (CODE, PROSE) for line in text.strip().split("\n")]
    lines: list[str] = []
    while len(lines) < count:
        if chance.random() < 0.4:
            lines.append(_hashes(chance))
            continue
        word = chance.choice(_WORDS)
        lines.append(
            chance.choice(templates).format(
                w=word,
                W=word.title(),
                U=word.upper(),
                v=chance.choice(_VERBS),
                n=chance.randrange(2, 9999),
                m=chance.randrange(2, 99),
            )
        )
    return lines
