"""More forms of secrets, collected independently of the rules."""

# ruff: noqa: E501 - one form a line
from __future__ import annotations

SECOND_FORMS = r"""
aws_access_key_id = AKIA«UP16»\naws_secret_access_key = «b6440»
aws configure set aws_secret_access_key «b6440»
export AWS_SESSION_TOKEN="FwoGZXIvYXdz«b64240»=="
$Env:AWS_SECRET_ACCESS_KEY="«b6440»"
"private_key_id": "0a1b",\n  "private_key": "-----BEGIN PRIVATE KEY-----\\nMIIEv«b6464»\\n«b6464»\\n-----END PRIVATE KEY-----\\n",
https://maps.googleapis.com/maps/api/js?key=AIza«url35»&callback=initMap
GOCSPX-«url28» is the client secret of the OAuth app
az login --service-principal -u http://azure-cli -p «url3»8Q~«url34» --tenant contoso.onmicrosoft.com
DefaultEndpointsProtocol=https;AccountName=storagesample;AccountKey=«b6486»==;EndpointSuffix=core.windows.net
https://acct.blob.core.windows.net/c/blob.txt?sv=2022-11-02&sr=b&sig=«b6243»%3D&se=2026-01-01T00:00Z&sp=r
AccountEndpoint=https://cosmos.documents.azure.com:443/;AccountKey=«b6486»==;
Endpoint=sb://ns.servicebus.windows.net/;SharedAccessKeyName=RootManageSharedAccessKey;SharedAccessKey=«b6443»=
Ocp-Apim-Subscription-Key: «hex32»
doctl auth init -t dop_v1_«hex64»
SecretId: AKID«b6232»\nSecretKey: «b6232»
AccessKeyId=LTAI5t«b6218» AccessKeySecret=«b6230»
HCLOUD_TOKEN=«b6264»
linode-cli --token «hex64» linodes list
X-Auth-Key: «hex37»\nX-Auth-Email: user@example.com
CLOUDFLARE_API_TOKEN=«url40»
flyctl auth: FLY_API_TOKEN="FlyV1 fm2_lJPEC«b64120»"
heroku authorizations:create\nToken:       HRKU-«url60»
vercel --token «b6224» deploy
netlify deploy --auth=nfp_«b6236» --prod
SCW_SECRET_KEY=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
git clone https://oauth2:glpat-«url20»@gitlab.com/group/proj.git
curl --header "PRIVATE-TOKEN: «url20»" "https://gitlab.example.com/api/v4/projects"
gh auth login --with-token <<< ghp_«b6236»
github_pat_«b6222»_«b6259»
remote: https://x-access-token:ghs_«b6236»@github.com/o/r
CI_JOB_TOKEN=glcbt-64_«url20»
glrt-«url20» registers the runner
machine bitbucket.org login me password ATBB«b6232»
curl -H "Authorization: token «hex40»" https://gitea.example.com/api/v1/user
sgp_«hex40»
JIRA_API_TOKEN=ATATT3xFfGF0«url180»=«HEX8»
curl -D- -u fred@example.com:«b6224» -X GET "https://your-domain.atlassian.net/rest/api/2/issue/createmeta"
https://dev.azure.com/ with pat «low52» via AZURE_DEVOPS_EXT_PAT=«low52»
SLACK_BOT_TOKEN=xoxb-«num12»-«num12»-«b6224»
xapp-1-A«UP10»-«num13»-«hex64»
curl -X POST -H 'Content-type: application/json' --data '{"text":"hi"}' https://hooks.slack.com/services/T«UP8»/B«UP10»/«b6224»
client.login('MTA«b6221».G«b625».«url38»');
https://discord.com/api/webhooks/«num18»/«url68»
https://api.telegram.org/bot«num10»:AA«url33»/sendMessage
TWILIO_AUTH_TOKEN: «hex32»
https://outlook.office.com/webhook/7a0c@51de/IncomingWebhook/«hex32»/«hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
https://oapi.dingtalk.com/robot/send?access_token=«hex64»
https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key=«hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
https://open.feishu.cn/open-apis/bot/v2/hook/«hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
Stripe.api_key = 'sk_live_«b6224»'
stripe listen --api-key rk_test_«b6224»
whsec_«b6232»
Square access token EAAA«url60»
sq0csp-«url43»
PAYPAL_CLIENT_SECRET=E«url79»
access_token$production$«low16»$«hex32»
shpat_«hex32»
rzp_live_«b6214»:«b6224»
PLAID_SECRET=«hex30»
ANTHROPIC_API_KEY=sk-ant-api03-«url93»AA
OPENAI_API_KEY = "sk-proj-«url74»T3BlbkFJ«url74»"
openai.api_key = "sk-«b6220»T3BlbkFJ«b6220»"
huggingface-cli login --token hf_«b6234»
GROQ_API_KEY="gsk_«b6252»"
REPLICATE_API_TOKEN=r8_«b6237»
cohere_api_key = '«b6240»'
PINECONE_API_KEY=pcsk_«b626»_«b6264»
pinecone.init(api_key="«hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»", environment="us-west1-gcp")
export XAI_API_KEY=xai-«b6280»
export PERPLEXITY_API_KEY=pplx-«b6248»
sk-or-v1-«hex64»
LANGCHAIN_API_KEY=lsv2_pt_«hex32»_«hex10»
wandb login «hex40»
DEEPSEEK_API_KEY=sk-«hex32»
curl "https://api.elevenlabs.io/v1/voices" -H "xi-api-key: sk_«hex48»"
//registry.npmjs.org/:_authToken=npm_«b6236»
npm config set //npm.pkg.github.com/:_authToken «hex40»
//reg.example.com/:_password="«b6424»=="
[pypi]\n  username = __token__\n  password = pypi-AgEIcHlwaS5vcmc«url150»
twine upload -u __token__ -p pypi-AgEIcHlwaS5vcmc«url150» dist/*
cargo login cio«b6232»
:rubygems_api_key: rubygems_«hex48»
docker login -u myuser -p «pw» registry.example.com
echo "«pw»" | docker login --username foo --password-stdin
echo dckr_pat_«url27» | docker login -u me --password-stdin
{"auths":{"ghcr.io":{"auth":"«basic»"}}}
dotnet nuget push a.nupkg -k oy2«low43» -s https://api.nuget.org/v3/index.json
jf rt ping --access-token=AKCp8«b6268»
postgresql://app:«pw»@db.internal:5432/app?sslmode=require
mysql -u root -p«b6212» mydb
mysql://root:«b6216»@tcp(127.0.0.1:3306)/x
mongodb+srv://me:«b6216»@cluster0.abcde.mongodb.net/?retryWrites=true
PGPASSWORD=«pw» psql -h localhost -U app
redis-cli -h cache -a «b6220» ping
jdbc:sqlserver://localhost:1433;databaseName=x;user=sa;password=«pw»;encrypt=true
jdbc:oracle:thin:scott/«b6212»@//myhost:1521/orcl
Server=tcp:x.database.windows.net;Database=d;User ID=u;Password=«pw»;
CREATE USER app WITH PASSWORD '«pw»';
ALTER USER 'root'@'localhost' IDENTIFIED BY '«pw»';
localhost:5432:app:me:«b6216»
amqps://user:«b6232»@hawk.rmq.cloudamqp.com/vhost
SUPABASE_SERVICE_ROLE_KEY=eyJhbGciOiJIUzI1NiIs«url20».eyJ«url80».«url43»
pscale_pw_«url43»
DATABRICKS_TOKEN=dapi«hex32»
SENDGRID_API_KEY=SG.«url22».«url43»
curl -s --user 'api:key-«hex32»' https://api.mailgun.net/v3/x/messages
«hex32»-us14 is the mailchimp key: apikey=«hex32»-us14
xkeysib-«hex64»-«b6216»
X-Postmark-Server-Token: «hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
smtp.login("me@example.com", "«pw»")
swaks --auth-user me --auth-password «pw» --to you@example.com
DD_API_KEY=«hex32»
dd-application-key: «hex40»
NRAK-«UP27»
SENTRY_DSN=https://«hex32»@o123.ingest.sentry.io/456
sntrys_eyJ«b6480»_«b6443»
Authorization: Bearer glsa_«b6232»_«hex8»
curl -H "Api-Key: NRAK-«UP27»" https://api.newrelic.com/graphql
routing_key: «hex32» # pagerduty
token: dt0c01.«UP24».«UP64»
x-honeycomb-team: «b6222»
vault write auth/approle/login role_id=x secret_id=«hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
export VAULT_TOKEN=hvs.CAESI«url90»
credentials "app.terraform.io" {\n  token = "«b6214».atlasv1.«b6267»"\n}
CIRCLE_TOKEN=CCIPAT_«b6222»_«hex40»
BUILDKITE_AGENT_TOKEN=«b6250»
sonar-scanner -Dsonar.login=«hex40»
sonar.token=sqp_«hex40»
curl -X POST http://admin:11«hex32»@jenkins.example.com/job/x/build
PULUMI_ACCESS_TOKEN=pul-«hex40»
dp.st.prd.«b6243»
codecov -t «hex8»-«hex4»-4«hex3»-9«hex3»-«hex12»
-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEA«b6450»\n«b6470»\n-----END OPENSSH PRIVATE KEY-----
-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,«HEX32»\n\n«b6464»\n«b6464»\n-----END RSA PRIVATE KEY-----
-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQVYBG«b6458»\n«b6464»\n=abcd\n-----END PGP PRIVATE KEY BLOCK-----
AGE-SECRET-KEY-1«UP58»
PrivateKey = «b6443»=\nAddress = 10.0.0.2/24
PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\nPrivate-Lines: 1\n«b6464»\nPrivate-MAC: 0a1b
openssl rsa -in k.pem -passin pass:«pw»
ssh-keygen -t ed25519 -N '«pw»' -f id
sshpass -p '«pw»' ssh root@host
gpg --batch --passphrase «pw» -c file
SECRET_KEY_BASE=«hex128»
DJANGO_SECRET_KEY='django-insecure-«b6250»'
APP_KEY=base64:«b6443»=
jwt:\n  secret: «b6432»
  password: "«pw»"
password = «pw»  # change me later
"client_secret": "«url34»",
stringData:\n  username: admin\n  password: «pw»
apiVersion: v1\nkind: Secret\ndata:\n  tls.key: LS0tLS1CRUdJTiBQUklWQVRF«b6480»
kubectl create secret generic db --from-literal=password=«pw»
variable "db_password" {\n  default = "«pw»"\n}
<add key="ApiSecret" value="«b6232»" />
<password>«pw»</password>
spring.datasource.password=«pw»
machine api.example.com\n  login me\n  password «b6220»
ansible_become_pass: «pw»
root:$6$«b628»$«b6286»:19000:0:99999:7:::
admin:$apr1$«b628»$«b6222»
wifi: psk="«pw»"
const apiKey = "«b6232»";
let dbPassword: string = '«pw»'
os.environ["API_SECRET"] = "«b6232»"
set -x GH_TOKEN «hex40»
ENV MYSQL_ROOT_PASSWORD «pw»
docker run -e POSTGRES_PASSWORD=«pw» -d postgres
setx STORE_SECRET "«b6224»"
Cookie: sessionid=«low32»; csrftoken=«b6264»
Set-Cookie: connect.sid=s%3A«url32».«b6243»; Path=/; HttpOnly
Authorization: Basic «basic»
curl -H 'Authorization: Bearer «url40»' https://api.example.com/v1
http -a admin:«pw» GET example.com
wget --user=me --password='«pw»' https://example.com/f
https://api.example.com/v2/items?api_key=«hex32»&page=2
https://app.example.com/reset?token=«url43»
X-Api-Key:«b6240»
Authorization: AWS4-HMAC-SHA256 Credential=AKIA«UP16»/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature=«hex64»
fetch(url, {headers: {"x-api-key": "«b6240»"}})
requests.get(url, auth=("admin", "«pw»"))
axios.defaults.headers.common['Authorization'] = 'Bearer «url48»';
Proxy-Authorization: Basic «basic»
export https_proxy=http://user:«pw»@proxy.corp:8080
密码是«pw»,请勿外传
密码:«pw»
令牌ghp_«b6236»已经过期了
パスワードは「«pw»」です
これはsk-ant-api03-«url93»AAというキーです
鍵：AKIA«UP16»。
비밀번호: «pw»
数据库口令为 «pw»
使用xoxb-«num12»-«num12»-«b6224»发送
the password is «pw» and the user is admin
My new API key: `«b6240»`
| staging | admin | password: «pw» |
> **Token:** «hex40»
- Passwort: «pw»
contraseña: «pw»
mot de passe : «pw»
use KEY_ghp_«b6236» here
TOKEN_AKIA«UP16»
the passphrase is "«pw»"
login with admin / «pw»
PIN_glpat-«url20»_OLD
"""
