"""More forms of other vendors and tools, written after the rules and before they were tried."""

# ruff: noqa: E501 - one form a line
from __future__ import annotations

FIFTH_FORMS = r"""
const stripe = require('stripe')('sk«»_test_«b6224»');
Stripe.setPublishableKey; stripe.api_key = "rk«»_live_«b6224»"
let api = new Api({ access_token: '«b6240»' })
GHOST_ADMIN_API_KEY=«hex24»:«hex64»
sendgrid.setApiKey('SG«».«url22».«url43»')
mailgun({apiKey: 'key-«hex32»', domain: 'mg.example.org'})
MAIL_PASSWORD=«pw»
EMAIL_HOST_PASSWORD = '«pw»'
config.action_mailer.smtp_settings = { user_name: 'me', password: '«pw»' }
smtp_password: "«pw»"
relayhost_password = «pw»
[smtp.example.org]:587 me@example.org:«pw»
BOT_TOKEN = "«num10»:AA«url33»"
firebase functions:config:set stripe.secret="sk«»_live_«b6224»"
FIREBASE_TOKEN=1//0«url50»
eas secret:create --name API_TOKEN --value «b6240»
supabase login --token sbp_«hex40»
SUPABASE_DB_PASSWORD=«pw»
turso db tokens: TURSO_AUTH_TOKEN=eyJ«url30».eyJ«url60».«url80»
NEON_API_KEY=«low64»
planetscale: DATABASE_URL='mysql://me:pscale_pw_«url43»@aws.connect.psdb.cloud/x?sslaccept=strict'
UPSTASH_REDIS_REST_TOKEN="«url60»"
MEILI_MASTER_KEY=«url43»
TYPESENSE_API_KEY=«b6232»
CLERK_SECRET_KEY=sk«»_test_«b6240»
AUTH0_CLIENT_SECRET='«url64»'
OKTA_API_TOKEN=00«url40»
KEYCLOAK_ADMIN_PASSWORD=«pw»
keycloak.credentials.secret=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
spring.security.oauth2.client.registration.github.client-secret=«hex40»
spring:\n  datasource:\n    username: me\n    password: «pw»
quarkus.datasource.password=«pw»
micronaut:\n  security:\n    token:\n      jwt:\n        secret: "«b6440»"
management.metrics.export.datadog.api-key=«hex32»
ConnectionStrings__Default=Server=db;Database=x;User=sa;Password=«pw»
"ConnectionStrings": {"Default": "Host=db;Username=me;Password=«pw»;Database=x"}
"Jwt": { "Key": "«b6440»", "Issuer": "me" }
dotnet user-secrets set "Movies:ServiceApiKey" "«b6232»"
dotnet user-secrets set "DbPassword" "«pw»"
<add key="SmtpPassword" value="«pw»" />
<sessionState stateConnectionString="x" sqlConnectionString="data source=db;user id=sa;password=«pw»" />
NPM_CONFIG__AUTH=«basic»
//npm.pkg.github.com/:_authToken=gh«»p_«b6236»
@acme:registry=https://npm.example.org/\n//npm.example.org/:_authToken="«b6436»"
registry "https://reg.example.org" _auth="«basic»" always-auth=true
machine github.com login me password gh«»p_«b6236»
git remote add origin https://me:gh«»p_«b6236»@github.com/me/x.git
git push https://oauth2:«url20»@gitlab.example.org/me/x.git
git config http.extraheader "AUTHORIZATION: bearer «b6440»"
GIT_ASKPASS=echo GIT_PASSWORD=«pw» git fetch
svn checkout --username me --password «pw» https://svn.example.org/x
hg: acme.password = «pw»
cvs -d :pserver:me:«pw»@cvs.example.org:/cvs login
circleci: - run: echo "export API_KEY=«b6232»" >> $BASH_ENV
env:\n  global:\n    - API_TOKEN=«b6240»
variables:\n  DEPLOY_TOKEN: "«url20»"
with:\n  password: «pw»
with:\n  api-key: «hex40»
environment {\n  SONAR_TOKEN = 'sqp_«hex40»'\n}
credentialsId; withEnv(["DB_PASS=«pw»"]) { sh 'x' }
buildkite-agent start --token "«hex50»"
drone secret add --name docker_password --data «pw» me/x
act -s GITHUB_TOKEN=gh«»p_«b6236»
tkn: stringData:\n    password: «pw»
apiVersion: v1\nkind: Secret\nmetadata:\n  name: x\ndata:\n  api-token: «b6440»
apiVersion: v1\nkind: Secret\nstringData:\n  config.yaml: |\n    password: «pw»
env:\n  - name: API_KEY\n    value: "«b6232»"
envFrom; - name: MYSQL_ROOT_PASSWORD\n            value: «pw»
args: ["--requirepass", "«pw»"]
command: redis-server --requirepass «pw»
command: --default-authentication-plugin=x --password=«pw»
ENV REDIS_PASSWORD=«pw»
ARG GITHUB_TOKEN=gh«»p_«b6236»
RUN echo "//registry.npmjs.org/:_authToken=npm«»_«b6236»" > .npmrc
RUN curl -u me:«pw» https://repo.example.org/x.tgz
services:\n  db:\n    environment:\n      MARIADB_ROOT_PASSWORD: «pw»
resource "aws_db_instance" "x" {\n  username = "me"\n  password = "«pw»"\n}
provider "aws" {\n  access_key = "AK«»IA«UP16»"\n  secret_key = "«b6440»"\n}
provider "cloudflare" {\n  api_token = "«url40»"\n}
provider "datadog" {\n  api_key = "«hex32»"\n  app_key = "«hex40»"\n}
db_password = "«pw»"\nregion = "eu"
export ARM_CLIENT_SECRET="«b6234»"
export GOOGLE_CREDENTIALS='{"type":"service_account","private_key":"-----BEGIN PRIV«»ATE KEY-----\\nMII«b6460»\\n-----END PRIV«»ATE KEY-----\\n"}'
export VSPHERE_PASSWORD=«pw»
export CONFLUENT_CLOUD_API_SECRET="«b6464»"
bootstrap.servers=x\nsasl.username=me\nsasl.password=«b6464»
snowflake: password = '«pw»', account = 'x'
CREATE STAGE s CREDENTIALS=(AWS_KEY_ID='AK«»IA«UP16»' AWS_SECRET_KEY='«b6440»');
COPY t FROM 's3://b' CREDENTIALS 'aws_access_key_id=AK«»IA«UP16»;aws_secret_access_key=«b6440»'
CREATE SERVER s OPTIONS (host 'db', user 'me', password '«pw»');
CREATE USER MAPPING FOR me SERVER s OPTIONS (user 'x', password '«pw»');
ALTER ROLE app LOGIN PASSWORD '«pw»';
GRANT ALL ON *.* TO 'me'@'%' IDENTIFIED BY '«pw»' WITH GRANT OPTION;
CHANGE MASTER TO MASTER_USER='repl', MASTER_PASSWORD='«pw»';
EXEC sp_addlogin 'me', '«pw»';
INSERT INTO users (name, password) VALUES ('admin', '«pw»');
UPDATE users SET password='«pw»' WHERE id=1;
db.auth("me", "«pw»")
rs.initiate; keyFile; mongosh "mongodb://me:«pw»@h1,h2/db?replicaSet=r"
neo4j://; dbms.security.auth: NEO4J_AUTH=neo4j/«pw»
ARANGO_ROOT_PASSWORD=«pw»
couchdb: curl -X PUT http://admin:«pw»@127.0.0.1:5984/x
fetch('/api', { headers: { 'X-API-KEY': '«b6240»' } })
axios.get(url, { auth: { username: 'me', password: '«pw»' } })
got(url, {username: 'me', password: '«pw»'})
requests.get(url, headers={"Authorization": "Token «hex40»"})
requests.post(url, json={"api_key": "«hex32»"})
http.Header.Set("Authorization", "Bearer «url48»")
req.SetBasicAuth("me", "«pw»")
client.DefaultRequestHeaders.Add("X-Api-Key", "«b6240»");
request.setHeader("Authorization", "Basic «basic»");
Net::HTTP; req.basic_auth 'me', '«pw»'
RestClient.get url, {Authorization: 'Bearer «url40»'}
curl_setopt($ch, CURLOPT_USERPWD, "me:«pw»");
LWP; $req->authorization_basic('me', '«pw»');
HttpRequest; .header("apikey", "«b6240»")
okHttp: Credentials.basic("me", "«pw»")
wscat -H "Authorization: Bearer «url40»" -c wss://x
grpcurl -H 'x-api-key: «b6240»' host:443 list
httpie: https api.example.org Authorization:"Bearer «url40»"
insomnia: {"type":"bearer","token":"«url60»"}
postman: {"key":"password","value":"«pw»"}
{"key": "X-Api-Key", "value": "«b6240»", "type": "text"}
k6: __ENV; const TOKEN = '«b6240»';
locust: self.client.post("/login", json={"username":"me", "password":"«pw»"})
DEBUG: POST /login {"email"=>"me@example.org", "password"=>"«pw»"}
Parameters: {"user"=>{"login"=>"me", "password"=>"«pw»"}}
WARN auth failed for me with password '«pw»'
set-cookie: auth_token=«url60»; HttpOnly
> Authorization: Bearer «url80»
< x-auth-token: «hex64»
password="«pw»" user="me" action=login
Password [«pw»]:
New password: «pw»
Enter passphrase: «pw»
Login: admin\nPassword: «pw»
URL: https://x.example.org\nUser: admin\nPass: «pw»
credentials are admin / «pw»
use password «pw» for the staging login
"""
