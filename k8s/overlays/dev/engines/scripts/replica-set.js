// For mongosh: one node is a replica set too, and only a replica set has transactions. May run again at every start, also of both at once.
const { readFileSync } = require('fs');
const secret = (name) => readFileSync(`${process.env.SECRETS}/${name}`, 'utf8');
const HOST = 'mongo:27017';
const WITHIN_MS = 120000;

function prepare() {
  const admin = connect(`mongodb://root:${secret('MONGO_ROOT_PASSWORD')}@${HOST}/admin?directConnection=true&serverSelectionTimeoutMS=10000`);
  const isMember = () => admin.hello().setName !== undefined;
  if (!isMember()) admin.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: HOST }] } });
  if (!admin.hello().isWritablePrimary) throw new Error('the replica set has no primary yet');
  const items = admin.getSiblingDB('itemsvc');
  const user = { pwd: secret('itemsvc'), roles: [{ role: 'dbOwner', db: 'itemsvc' }] };
  if (items.getUser('itemsvc')) items.updateUser('itemsvc', user);
  else items.createUser({ user: 'itemsvc', ...user });
}

for (const until = Date.now() + WITHIN_MS; ;) {
  try {
    prepare();
    break;
  } catch (error) {
    if (Date.now() > until) throw error;
    sleep(500);
  }
}
print('replica set rs0: there');
