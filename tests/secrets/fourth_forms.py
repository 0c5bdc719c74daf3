"""Forms of secrets as vendors' documentation shows them, written after the rules and before they were tried."""

# ruff: noqa: E501 - one form a line
from __future__ import annotations

FOURTH_FORMS = r"""
const editframe = new Editframe({\n  clientId: "dpWDQj9i9o",\n  token: "«b6222»",\n});
connectionString="Data Source=localhost;\n  User Id=app;\n  Password=#P%«b628»!ef2" />
- name: "vcenter-creds"\n  username: "me"\n  password: "U$ic«b626»#INE"
echo -n '«hex12»' > ./password.txt
TOM_API_KEYS='["«b6224»:automation", "«b6224»:monitoring"]'
api_keys:\n  - "«b6232»"
export Token=MIIDkg«b6264»
curl -X POST https://iam.example.com/v3/auth/tokens -d '{"auth":{"identity":{"methods":["password"],"password":{"user":{"name":"me","password":"«pw»"}}}}}'
"SMTP":"my.mailserver.com", "username": "user1", "password": "«b6214»"
DSN=MyDSN; User=MyUser; Pass=«pw»;
kubectl create secret generic dev --from-literal=username=dev --from-literal=password='«pw»'
kubectl config set-credentials me/foo --token=«b6440»
kubeadm join 10.0.0.1:6443 --token «low6».«low16» --discovery-token-ca-cert-hash sha256:0a1b
helm repo add private https://charts.example.com --username me --password «pw»
helm registry login registry.example.com -u me -p «pw»
docker swarm join --token SWMTKN-1-«low50»-«low25» 192.168.99.100:2377
docker secret create db_pw - <<< "«pw»"
printf "«pw»" | docker secret create my_secret -
podman run -e POSTGRES_PASSWORD=«pw» -d docker.io/postgres
REDIS_URL=rediss://:p«b6240»@ec2-1-2-3-4.compute-1.amazonaws.com:25390
CLOUDINARY_URL=cloudinary://443376:«url27»@demo
ALGOLIA_ADMIN_KEY=«hex32»
const client = algoliasearch('YourApplicationID', '«hex32»');
MAPBOX_ACCESS_TOKEN=sk.eyJ1Ijoi«url40».«url22»
Pusher.secret = '«hex20»'
PUSHER_APP_SECRET=«hex20»
export TWILIO_AUTH_TOKEN=«hex32»
client = Client("AC0a1b", "«hex32»")
curl 'https://api.twilio.com/2010-04-01/Accounts/AC1.json' -u AC0a1b:«hex32»
nexmo = vonage.Client(key="ebf8", secret="«b6216»")
MESSAGEBIRD_API_KEY=live_«b6225»
Authorization: AccessKey «b6225»
Authorization: Api-Token dt0c01.«UP24».«UP64»
Authorization: PVEAPIToken=root@pam!mon=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
Authorization: sso-key «b6236»:«b6222»
Authorization: Discogs token=«b6240»
Authorization: key=AAAA«b627»:APA91b«url134»
Authorization: OAuth oauth_consumer_key="«b6225»", oauth_token="«num10»-«b6240»", oauth_signature="«b6427»%3D"
Authorization: MediaBrowser Token="«hex32»"
Authorization: NLAuth nlauth_email=me@example.com, nlauth_signature=«pw»
X-Plex-Token: «url20»
http://127.0.0.1:32400/library/sections?X-Plex-Token=«url20»
X-Redmine-API-Key: «hex40»
X-Emby-Token: «hex32»
x-functions-key: «b6454»==
X-Cisco-Meraki-API-Key: «hex40»
X-ManagementToken: «url40»
X-SDWAN-Token: «hex40»
X-Subject-Token: gAAAAAB«url160»
X-Authy-API-Key: «b6232»
X-Consul-Token: «hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
CONSUL_HTTP_TOKEN=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
consul acl token read -token «hex8»-«hex4»-4«hex3»-a«hex3»-«hex12» -self
nomad job run -token=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12» a.nomad
Unseal Key 1: «b6443»=
Initial Root Token: hvs.«b6224»
vault operator unseal «b6443»=
vault login -method=userpass username=me password=«pw»
etcdctl --user root:«pw» get foo
mongodump --uri="mongodb://app:«pw»@db:27017" --archive
cqlsh db -u cassandra -p «pw»
nodetool -u cassandra -pw «pw» status
rabbitmqadmin -u admin -p «pw» list queues
kafka-console-producer --producer-property sasl.jaas.config='org.apache.kafka.common.security.plain.PlainLoginModule required username="me" password="«pw»";'
ssl.keystore.password=«pw»
sasl.jaas.config=org.apache.kafka.common.security.scram.ScramLoginModule required username="a" password="«pw»";
xpack.security.authc.realms.ldap.bind_password: "«pw»"
elasticsearch.password: "«pw»"
curl -u elastic:«b6220» https://es:9200
Password for the elastic user (reset with `bin/elasticsearch-reset-password -u elastic`):\n  «url20»
output.elasticsearch:\n  api_key: "VuaCfGcBCdbkQm-e5aOx:«url22»"
influx config create -n x -u http://localhost:8086 -t «url86»== -o org
GF_SECURITY_ADMIN_PASSWORD=«pw»
admin_password = «pw»
;secret_key = «b6220»
grafana-cli admin reset-admin-password «pw»
zabbix_sender -z srv --tls-psk «hex64»
DBPassword=«pw»
snmpwalk -v3 -l authPriv -u me -a SHA -A «pw» -x AES -X «pw» host
rocommunity «b6216»
ppp chap password 0 «pw»
set system login user admin authentication plain-text-password-value «pw»
wpa_passphrase HomeNet «pw»
wpa-psk «hex64»
key_mgmt=WPA-PSK\n        psk=«hex64»
openvpn --auth-user-pass <(echo -e "me\\n«pw»")
wg set wg0 peer abc preshared-key <(echo «b6443»=)
PrivateKey: «b6443»=
tailscale up --authkey=tskey-auth-«b6217»-«b6232»
cloudflared service install eyJhIjoi«url120»
cloudflared tunnel run --token eyJhIjoi«url120»
ngrok authtoken «b6227»_«b6221»
rclone config create remote webdav user me pass «url30»
restic -r s3:s3.amazonaws.com/b backup; export RESTIC_PASSWORD=«pw»
export BORG_PASSPHRASE='«pw»'
duplicity full /home ftp://me:«pw»@host/dir
PASSPHRASE=«pw» duplicity full a b
gpg --batch --yes --passphrase='«pw»' -d f.gpg
age1 key: AGE-SECRET-KEY-1«UP58»
security add-generic-password -a me -s svc -w '«pw»'
cmdkey /generic:TERMSRV/host /user:me /pass:«pw»
net user admin «pw» /add
psexec \\\\host -u DOMAIN\\me -p «pw» cmd
New-LocalUser -Name me -Password (ConvertTo-SecureString "«pw»" -AsPlainText -Force)
$password = "«pw»" | ConvertTo-SecureString -AsPlainText -Force
Connect-AzAccount -ServicePrincipal -Credential $c -ClientSecret «b6234»
az sql server create -n s -g g -u admin -p «pw»
az storage blob list --account-name a --account-key «b6486»==
az acr login -n reg -u me -p «b6452»
aws rds create-db-instance --master-username admin --master-user-password «pw»
gcloud sql users set-password root --host=% --instance=i --password=«pw»
gsutil config: gs_secret_access_key = «b6440»
ibmcloud login --apikey «url44»
oci setup: pass_phrase=«pw»
doctl registry login --access-token dop_v1_«hex64»
linode_token = "«hex64»"
vultr-cli: api-key: «UP36»
OS_PASSWORD=«pw»
openstack --os-password «pw» server list
terraform login; credentials.tfrc.json: {"credentials":{"app.terraform.io":{"token":"«b6214».atlasv1.«b6267»"}}}
provider "proxmox" {\n  pm_api_token_secret = "«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»"\n}
pulumi config set --secret dbPassword «pw»
ansible-playbook site.yml -e "db_password=«pw»"
ansible-playbook site.yml --extra-vars '{"vault_token":"«b6232»"}'
salt-call --pillar '{"mysql_root_pw": "«pw»"}'
knife bootstrap host -U root -P «pw»
puppet: mysql_root_password => '«pw»',
npm login: //npm.example.com/:_password=«b64pw»\n//npm.example.com/:username=me
yarn config set npmAuthToken «hex40»
poetry config http-basic.private me «pw»
poetry config pypi-token.pypi pypi-AgEIcHlwaS5vcmc«url100»
pip install --index-url https://me:«pw»@pypi.example.com/simple x
uv publish --token pypi-AgEIcHlwaS5vcmc«url100»
gem push --key rubygems_«hex48» x.gem
mvn deploy -Dpassword=«pw»
mvn gpg:sign -Dgpg.passphrase=«pw»
./gradlew publish -PossrhPassword=«pw»
fastlane: APP_STORE_CONNECT_API_KEY_KEY=MIGTAgEAMBMG«b64120»
FASTLANE_PASSWORD=«pw»
xcrun altool --upload-app -u me@example.com -p «low4»-«low4»-«low4»-«low4»
signtool sign /f cert.pfx /p «pw» app.exe
jarsigner -keystore k.jks -storepass «pw» -keypass «pw» app.jar alias
keystore.password=«pw»
<property name="hibernate.connection.password">«pw»</property>
<bean id="ds"><property name="password" value="«pw»"/></bean>
<Resource name="jdbc/db" username="me" password="«pw»" url="jdbc:mysql://db/x"/>
<add name="Db" connectionString="Server=db;Uid=me;Pwd=«pw»;" />
<identity impersonate="true" userName="DOM\\me" password="«pw»" />
wp config create --dbname=wp --dbuser=wp --dbpass=«pw»
define('AUTH_KEY',         '«b6232»|«b6220»#«b628»');
define( 'SECURE_AUTH_SALT', '«b6230»$«b6230»' );
drush site-install --account-pass=«pw» --db-url=mysql://me:«pw»@localhost/db
$settings['hash_salt'] = '«url74»';
'salt' => '«hex64»',
RAILS_MASTER_KEY=«hex32»
secret_key_base: «hex128»
Devise.secret_key = '«hex128»'
app.config['SECRET_KEY'] = '«hex48»'
app.secret_key = b'_5#y2L"F4Q8z\\n\\xec]/'
SESSION_SECRET=«b6232»
NEXTAUTH_SECRET="«b6443»="
JWT_SIGNING_KEY: "«b6464»"
COOKIE_SECRET=«hex64»
passport.use(new GoogleStrategy({ clientID: 'x', clientSecret: 'GOCSPX-«url28»' }))
SLACK_SIGNING_SECRET=«hex32»
GITHUB_WEBHOOK_SECRET=«hex40»
LINE_CHANNEL_SECRET=«hex32»
DISCORD_BOT_TOKEN=MT«b6224».G«url5».«url38»
bot = telebot.TeleBot("«num10»:AA«url33»")
api = tweepy.OAuth1UserHandler("«b6225»", "«b6250»", "«num10»-«b6240»", "«b6245»")
praw.Reddit(client_id="x", client_secret="«url27»", password="«pw»")
spotify: client_secret=«hex32»
imap.login('me@example.com', '«pw»')
server.login(user, "«pw»")
ftp.login(user='me', passwd='«pw»')
ssh.connect('host', 22, 'root', '«pw»')
sftp = pysftp.Connection('host', username='me', password='«pw»')
ldap.simple_bind_s("cn=admin,dc=example", "«pw»")
pymysql.connect(host='db', user='me', passwd='«pw»', db='x')
cx_Oracle.connect("me", "«pw»", "db/orcl")
DriverManager.getConnection(url, "me", "«pw»");
new MongoClient("mongodb+srv://me:«b6216»@c0.example.net/?w=majority")
$dbh = DBI->connect("dbi:mysql:db", "me", "«pw»");
$pdo = new PDO('mysql:host=db;dbname=x', 'me', '«pw»');
mysqli_connect("localhost", "me", "«pw»", "db");
pg_connect("host=db dbname=x user=me password=«pw»")
sql.Open("mysql", "me:«b6216»@tcp(db:3306)/x")
redis.createClient({ url: 'redis://me:«pw»@host:6380' })
Redis(host='h', port=6379, password='«pw»')
new ConnectionFactory { UserName = "me", Password = "«pw»" };
{"login":"me","password":"«pw»"}
{"username": "me", "passphrase": "«pw»", "key": "abc"}
username=me&password=«b6212»&grant_type=password
grant_type=refresh_token&refresh_token=«url60»
"refresh_token": "1//0«url60»"
"id_token": "eyJ«url40».eyJ«url80».«url43»"
"access_token" : "«url120»",
"session_token": "«b64120»"
"otp_secret": "«UP32»"
"recovery_codes": ["«hex5»-«hex5»", "«hex5»-«hex5»"], "api_secret": "«b6240»"
The root password has been set to: «pw»
Your new password is «pw»
Generated password for user admin: «pw»
A temporary password is generated for root@localhost: «pw»
Please use the following password to proceed to installation: «hex32»
temp pw «pw» (change on first login)
ssh deploy@10.0.0.4 (pw: «pw»)
the db user is app and its password "«pw»"
"""
