"""Forms of secrets by the syntax around them: languages, formats of files, tools, what programs print."""

from __future__ import annotations

THIRD_FORMS = r"""
string conn = "Data Source=db;Initial Catalog=app;User ID=sa;Password=«pw»;TrustServerCertificate=true";
System.setProperty("javax.net.ssl.keyStorePassword", "«pw»");
val apiKey: String = "«b6232»"
static let apiSecret = "«b6240»"
cfg := mysql.Config{User: "app", Passwd: "«pw»", Net: "tcp"}
let password = String::from("«pw»");
define('DB_PASSWORD', '«pw»');
$db['default']['password'] = '«pw»';
'password' => env('DB_PASSWORD', '«pw»'),
config.secret_key = '«hex128»'
:password => "«pw»",
config :app, App.Repo, username: "postgres", password: "«pw»"
{:dbtype "mysql" :user "me" :password "«pw»"}
(setq my-api-key "«b6232»")
(setenv "API_TOKEN" "«b6240»")
Sys.setenv(API_KEY = "«b6232»")
local password = "«pw»"
ConvertTo-SecureString "«pw»" -AsPlainText -Force
$cred = New-Object PSCredential("admin", (ConvertTo-SecureString '«pw»' -AsPlainText -Force))
[Environment]::SetEnvironmentVariable("API_KEY", "«b6232»", "User")
$SecurePassword = ConvertTo-SecureString -String "«pw»" -AsPlainText -Force
set API_KEY=«b6232»
SET "DB_PASS=«pw»"
set -gx STRIPE_KEY «b6232»
setenv AWS_SECRET_ACCESS_KEY «b6440»
gh secret set DEPLOY_KEY --body "«b6240»"
gh secret set NPM_AUTH -b «b6240»
glab variable set DEPLOY_TOKEN «url20»
echo "«pw»" | sudo -S apt update
heroku config:set STRIPE_SECRET=«b6232» --app shop
fly secrets set DATABASE_PASSWORD=«pw»
echo "«b6240»" | wrangler secret put API_TOKEN
netlify env:set API_KEY «b6240»
doppler secrets set API_KEY=«b6240»
aws ssm put-parameter --name /app/db/password --value '«pw»' --type SecureString
aws secretsmanager create-secret --name db --secret-string '{"username":"app","password":"«pw»"}'
gcloud secrets versions add db-password --data-file=- <<< "«pw»"
az keyvault secret set --vault-name kv --name DbPassword --value "«pw»"
vault kv put secret/app password=«pw» user=app
curl "https://app.azurewebsites.net/api/orders?code=«b6454»=="
      - POSTGRES_PASSWORD=«pw»
docker build --build-arg NPM_TOKEN=«hex36» .
data:\n  username: YWRtaW4=\n  password: «b64pw»
TF_VAR_db_password=«pw» terraform apply
terraform apply -var="db_password=«pw»"
  master_password        = "«pw»"
db1 ansible_host=10.0.0.5 ansible_user=root ansible_ssh_pass=«pw»
[client]\nuser=root\npassword="«pw»"
<server><id>nexus</id><username>deploy</username><password>«pw»</password></server>
signing.password=«pw»
storePassword "«pw»"
_auth=«basic»
npmAuthToken: "«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»"
bundle config set --global gems.contribsys.com «hex8»:«hex16»
nmcli dev wifi connect Home password «pw»
PresharedKey = «b6443»=
mount -t cifs -o username=me,password=«pw» //nas/share /mnt
ipmitool -I lanplus -H 10.0.0.9 -U admin -P «pw» power status
bindpw «pw»
olcRootPW: {SSHA}«b6432»
lftp -u deploy,«pw» ftp.example.org
xfreerdp /u:admin /p:«pw» /v:10.0.0.4
psql "host=db user=app password=«pw» dbname=app"
sqlplus scott/«b6212»@orcl
cypher-shell -u neo4j -p «pw»
clickhouse-client --password «pw» -q 'select 1'
openssl enc -aes-256-cbc -k «pw» -in a -out b
keytool -genkey -storepass «pw» -keypass «pw»
gpg --batch --passphrase "«pw»" -c file
SET PASSWORD FOR 'app'@'%' = PASSWORD('«pw»');
CREATE LOGIN app WITH PASSWORD = '«pw»';
db.createUser({user: "app", pwd: "«pw»", roles: []})
echo 'root:«pw»' | chpasswd
expect "Password:"\nsend "«pw»\\r"
requests.post(url, data={"username": "a", "password": "«pw»"})
client.connect(host, username="root", password="«pw»")
HTTPBasicAuth("admin", "«pw»")
conn = psycopg2.connect("dbname=app user=app password=«pw»")
boto3.client("s3", aws_secret_access_key="«b6440»")
Fernet(b"«url43»=")
keyring.set_password("svc", "me", "«pw»")
SECRET_KEY = "«b6220»(#$&*^%«b6220»"
const c = mysql.createConnection({host: 'db', user: 'app', password: '«pw»'});
jwt.sign(payload, '«b6432»')
app.use(session({ secret: '«pw»', resave: false }))
crypto.createHmac('sha256', '«b6432»')
auth: { user: "me@example.org", pass: "«pw»" }
await page.type('#password', '«pw»')
cy.get('[name=password]').type('«pw»')
await page.getByLabel('Password').fill('«pw»');
X-Vault-Token: hvs.«b6224»
X-Shopify-Access-Token: «hex32»
X-RapidAPI-Key: «b6250»
X-Algolia-API-Key: «hex32»
Circle-Token: «hex40»
Fastly-Key: «url32»
X-MBX-APIKEY: «b6264»
Authorization: DeepL-Auth-Key «hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»:fx
Authorization: Klaviyo-API-Key pk_«hex34»
Authorization: Zoho-oauthtoken 1000.«hex32».«hex32»
Authorization: Token token=«hex32»
X-Auth-Token: «hex32»
https://api.example.org/v1?apikey=«b6232»
https://app.example.org/cb#access_token=«url80»&token_type=bearer
otpauth://totp/Shop:me?secret=«UP32»&issuer=Shop
https://maps.example.org/js?key=«b6239»&v=3
https://us02web.zoom.us/j/123456789?pwd=«b6432»
user/pass is admin/«pw»
creds: admin:«pw»
login: admin, password: «pw»
here is the API key: «hex32»
please use this token: «b6240»
run it with pat «low52»
wachtwoord: «pw»
hasło: «pw»
lösenord: «pw»
heslo: «pw»
şifre: «pw»
mật khẩu: «pw»
كلمة المرور: «pw»
סיסמה: «pw»
पासवर्ड: «pw»
ＰＡＳＳＷＯＲＤ：«pw»
パスワード：«pw»
암호: «pw»
// remove before release: pw = «pw»
| DB_PASSWORD | «pw» |
smtp_pass = «pw»
token = '''«b6240»'''
password: |\n  «pw»
password: >-\n    «pw»
password: !vault-plain «pw»
password: &db «pw»
CMD ["server", "--password", "«pw»"]
"args": ["-y", "server-github", "--api-key", "«b6232»"]
<user username="tomcat" password="«pw»" roles="manager-gui"/>
<Property name="Password" value="«pw»"/>
<entry key="db.password">«pw»</entry>
<string name="api_key">«b6232»</string>
<key>ApiKey</key>\n<string>«b6232»</string>
<setting name="Password" serializeAs="String"><value>«pw»</value></setting>
DRIVER={ODBC Driver 18 for SQL Server};SERVER=db;UID=sa;PWD=«pw»
Provider=Microsoft.ACE.OLEDB.12.0;Data Source=a.accdb;Jet OLEDB:Database Password=«pw»;
HostName=hub.azure-devices.net;DeviceId=d1;SharedAccessKey=«b6443»=
AUTH PLAIN «b64plain»
a1 LOGIN me@example.org «pw»
CONFIG SET requirepass «pw»
PRIVATE_KEY=0x«hex64»
"env": {"SERVICE_API_KEY": "«b6232»"}
curl -b "session=«url60»" https://example.org
curl --cookie 'sid=«hex32»' https://example.org
document.cookie = "token=«url40»; path=/"
cat > .env <<EOF\nDB_PASSWORD=«pw»\nEOF
cat <<'EOF' > ~/.pgpass\ndb.example.org:5432:app:me:«pw»\nEOF
sed -i 's/DB_PASSWORD=.*/DB_PASSWORD=«pw»/' .env
+DB_PASSWORD=«pw»
-  password: «pw»
[info] connecting with token=«b6240» user=me
Config(user='me', password='«pw»', host='db')
{User:me Password:«pw» Host:db}
Config { user: "me", password: "«pw»" }
Config{user='me', password='«pw»'}
#<Client @user="me", @password="«pw»">
["password"]=>\n  string(10) "«pw»"
[password] => «pw»
mutation { login(email: "me@example.org", password: "«pw»") { token } }
proxy_set_header Authorization "Basic «basic»";
proxy_set_header X-Api-Key "«b6240»";
SetEnv DB_PASSWORD «pw»
env[DB_PASSWORD] = «pw»
environment=DB_PASSWORD="«pw»",MODE="prod"
Environment="DB_PASSWORD=«pw»"
Environment=API_TOKEN=«b6240»
config.ssh.password = "«pw»"
chpasswd:\n  list: |\n    root:«pw»
rootpw --plaintext «pw»
d-i passwd/root-password password «pw»
username admin privilege 15 password 0 «pw»
enable secret «pw»
/user add name=me group=full password=«pw»
-----BEGIN OpenVPN Static key V1-----\n«hex32»\n«hex32»\n-----END OpenVPN Static key V1-----
[remote]\ntype = s3\nsecret_access_key = «b6440»
client-key-data: LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQo«b6480»
kubectl create secret docker-registry reg --docker-username=me --docker-password=«pw»
helm install app chart --set auth.password=«pw»
authtoken: «b6227»_«b6221»
segment:\n  writeKey: '«b6232»'
sshpass -p«pw» ssh me@host
mysql -uroot -p'«pw»' app
mysqldump -u root --password='«pw»' app
private static final String PASSWORD = "«pw»";
#define WIFI_PASS "«pw»"
const char password[] = "«pw»";
NSString *password = @"«pw»";
Dim password As String = "«pw»"
DECLARE @pwd NVARCHAR(50) = '«pw»'
password: Final[str] = "«pw»"
our $password = q(«pw»);
WiFi.begin("home", "«pw»");
password=«b6216» # of the staging box
"password" : "«alpha12»"
DB_PASS=«alpha16»
db_password: correct horse battery staple
"passphrase": "correct horse battery staple"
glpat-«letters20»
gh«»p_«letters36»
"""
