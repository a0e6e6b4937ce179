// For mongosh: one node is a replica set too, and only a replica set has transactions. May run again at every start.
const { readFileSync } = require('fs');
const secret = (name) => readFileSync(`${process.env.SECRETS}/${name}`, 'utf8');
const HOST = 'mongo:27017';

const admin = connect(`mongodb://root:${secret('MONGO_ROOT_PASSWORD')}@${HOST}/admin?directConnection=true&serverSelectionTimeoutMS=60000`);
const isMember = () => admin.hello().setName !== undefined;
if (!isMember()) admin.adminCommand({ replSetInitiate: { _id: 'rs0', members: [{ _id: 0, host: HOST }] } });
for (let waited = 0; !admin.hello().isWritablePrimary; waited += 1) {
  if (waited > 120) throw new Error('the replica set has no primary after a minute');
  sleep(500);
}

const items = admin.getSiblingDB('itemsvc');
const user = { pwd: secret('itemsvc'), roles: [{ role: 'dbOwner', db: 'itemsvc' }] };
if (items.getUser('itemsvc')) items.updateUser('itemsvc', user);
else items.createUser({ user: 'itemsvc', ...user });
print('replica set rs0: there');
