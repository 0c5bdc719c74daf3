"""Notations of secrets in texts; the values are generated at run time, so that no scanner finds one."""

from __future__ import annotations

import random
import re
import string
from base64 import b64encode

_SETS = {
    "hex": "0123456789abcdef", "HEX": "0123456789ABCDEF", "b62": string.ascii_letters + string.digits,
    "low": string.ascii_lowercase + string.digits, "UP": string.ascii_uppercase + string.digits,
    "url": string.ascii_letters + string.digits + "_-", "b64": string.ascii_letters + string.digits + "+/",
    "num": string.digits, "alpha": string.ascii_lowercase, "letters": string.ascii_letters,
}  # fmt: skip
_VALUE = re.compile(r"«(?!b64p)(\w+?)(\d+)»|«(\w+)»")

FORMS = """
A«»KIA«UP16»
aws_secret_access_key = «b6440»
export AWS_SESSION_TOKEN=«b64200»
AWS_SECRET_ACCESS_KEY="«b6440»"
gh«»p_«b6236»
see KEY_gh«»o_«b6236» there
令牌gh«»s_«b6236»在这里
git«»hub_pat_«b6222»_«b6259»
git clone https://x-access-token:gh«»s_«b6236»@github.com/a/b
gl«»pat-«url20»
gl«»rt-«url20»
curl --header "PRIVATE-TOKEN: «url20»" https://gitlab.example.org
xo«»xb-«num12»-«num12»-«b6224»
xo«»xp-«num12»-«num12»-«num12»-«hex32»
xa«»pp-1-A«UP10»-«num13»-«hex64»
https://hooks.sl«»ack.com/services/T«UP8»/B«UP8»/«b6224»
sk«»_live_«b6224»
rk«»_test_«b6230»
wh«»sec_«b6432»
sq0«»atp-«url22»
sk«»-ant-api03-«url93»AA
sk«»-proj-«url80»
sk«»-«b6248»
sk«»-or-v1-«hex64»
hf«»_«b6234»
gs«»k_«b6252»
r8«»_«b6237»
pp«»lx-«b6248»
AI«»za«url35»
GOC«»SPX-«url28»
ya«»29.«url120»
npm«»_«b6236»
//registry.npmjs.org/:_authToken=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
py«»pi-AgEIcHlwaS5vcmc«url100»
ruby«»gems_«hex48»
dckr«»_pat_«url27»
oy2«low43»
ci«»o«b6232»
SG«».«url22».«url43»
key«»-«hex32»
«hex32»-us«»12
xkey«»sib-«hex64»-«b6216»
re«»_«b628»_«b6224»
do«»p_v1_«hex64»
dapi«»«hex32»
hv«»s.«url90»
«b6214».atlas«»v1.«url64»
sn«»trys_«b6480»
gl«»sa_«b6232»_«HEX8»
NR«»AK-«UP27»
lin«»_api_«b6240»
ntn«»_«b6246»
pat«b6214».«hex64»
ATA«»TT3«url180»
figd«»_«url40»
shp«»at_«hex32»
PM«»AK-«hex24»-«hex34»
«num10»:AA«url33»
MT«b6222».«url6».«url38»
https://discord.com/api/web«»hooks/«num18»/«url68»
https://oapi.dingtalk.com/robot/send?access_token=«hex64»
eyJ«url30».eyJ«url60».«url43»
-----BEGIN RSA PRIV«»ATE KEY-----\\n«b6464»\\n«b6464»\\n-----END RSA PRIV«»ATE KEY-----
"private_key": "-----BEGIN PRIV«»ATE KEY-----\\\\n«b6464»\\\\n-----END PRIV«»ATE KEY-----\\\\n"
AGE-«»SECRET-KEY-1«UP58»
ts«»key-auth-«b6217»-«b6232»
DB_PASSWORD=P@ssw0rd!«num4»
DB_PASSWORD=correcthorse
POSTGRES_PASSWORD: "«pw»"
SECRET_KEY=django-insecure-«low40»
SECRET_KEY = '«url50»'
password = "«pw»"
password: «pw»
"password": "«pw»"
\\\\"password\\\\": \\\\"«pw»\\\\"
{'passwd': '«pw»'}
spring.datasource.password=«pw»
my $password = '«pw»';
let dbPassword = "«pw»";
const API_KEY = "«b6232»";
apiKey: '«hex32»',
api_key=«hex32»
"client_secret": "«url40»"
client_secret=«b6440»&grant_type=client_credentials
JWT_SECRET=«b6432»
ENCRYPTION_KEY=«b6443»=
APP_KEY=base64:«b6443»=
OPENAI_API_KEY=«b6240»
HEROKU_API_KEY=«hex8»-«hex4»-4«hex3»-a«hex3»-«hex12»
DATADOG_API_KEY=«hex32»
CLOUDFLARE_API_TOKEN=«url40»
docker run -e MYSQL_ROOT_PASSWORD=«pw» mysql
docker login -u me -p «pw» registry.example.org
ENV API_TOKEN «b6240»
$env:API_TOKEN = "«b6240»"
setx API_TOKEN "«b6240»"
os.environ["API_TOKEN"] = "«b6240»"
process.env.API_TOKEN = '«b6240»'
- name: DB_PASSWORD\\n  value: «pw»
{"name": "API_KEY", "value": "«b6240»"}
<password>«pw»</password>
<add key="ApiSecret" value="«b6440»" />
./tool --password «pw»
./tool --token=«b6240»
./tool --api-key «hex32»
curl -u admin:«pw» https://example.org
curl --user "admin:«pw»" https://example.org
curl -H "Authorization: token «hex40»" https://example.org
curl -H 'Authorization: Bearer «url40»' https://example.org
Authorization: Basic «basic»
Authorization: ApiKey «b6444»==
"Authorization": "Bearer «url60»"
X-Api-Key: «b6232»
Cookie: session=«url60»; theme=dark
Set-Cookie: sid=s%3A«b6232».«b6443»; Path=/; HttpOnly
redis://:«pw»@cache:6379/0
rediss://default:«b6230»@cache.example.org:6380
postgres://app:«pw»@db.example.org:5432/app
mongodb+srv://app:«b6216»@cluster0.example.net/db
amqp://guest:«pw»@mq:5672
jdbc:postgresql://db/app?user=app&password=«pw»
Server=db;Database=app;User Id=sa;Password=«pw»;
DefaultEndpointsProtocol=https;AccountName=app;AccountKey=«b6486»==;EndpointSuffix=core.windows.net
https://app.blob.core.windows.net/c?sv=2023&sig=«b6243»%3D
machine example.org login me password «pw»
mysql -u root -p«pw» app
PGPASSWORD=«pw» psql -h db
sshpass -p '«pw»' ssh me@host
echo '«pw»' | docker login --password-stdin
redis-cli -a «pw» ping
CREATE USER app WITH PASSWORD '«pw»';
ALTER USER app IDENTIFIED BY '«pw»';
requirepass «pw»
The DB password is «pw».
mot de passe : Soleil«num2»
数据库密码是 Geheim«num2»x，请勿外传
пароль: Tajna«num4»!
$2«»b$12$«b6253»
$6$«b628»$«b6286»
"""


def _value(name: str, size: str, plain: str, chance: random.Random) -> str:
    if plain == "pw":
        middle = "".join(chance.choices(_SETS["b62"], k=5))
        return f"x{chance.choice('K7Z')}{middle}{chance.choice('!@%_-')}{chance.randrange(10, 99)}"
    if plain in ("b64pw", "b64plain"):
        secret = _value("", "", "pw", chance)
        return b64encode((f"\0me\0{secret}" if plain == "b64plain" else secret).encode()).decode()
    if plain == "basic":
        return b64encode(f"admin:{_value('', '', 'pw', chance)}".encode()).decode()
    return "".join(chance.choices(_SETS[name], k=int(size)))


def forms(text: str = FORMS, seed: int = 1) -> list[tuple[str, list[str]]]:
    """Each form with fresh values, and these values."""
    chance = random.Random(seed)
    found = []
    for line in text.strip().split("\n"):
        values: list[str] = []

        def fill(match: re.Match[str], values: list[str] = values) -> str:
            name, size, plain = match[1] or "", match[2] or "", match[3] or ""
            # The size stands last: ``b6240`` are 40 of base 62 or 64.
            for known in ("b62", "b64"):
                if (name + size).startswith(known):
                    name, size = known, (name + size)[3:]
            values.append(_value(name, size, plain, chance))
            return values[-1]

        filled = (
            _VALUE.sub(fill, line.replace("«»", ""))
            .replace("\\\\n", "\0")
            .replace("\\n", "\n")
            .replace("\0", "\\n")
        )
        found.append((filled.replace('\\\\"', '\\"'), values))
    return found
