// Does with the official JavaScript client what programs do with an API server; see ../README.md.

import * as k8s from '@kubernetes/client-node';

const patience = 30_000;
const namespace = `javascript-${Date.now()}-${process.pid}`;
const config = new k8s.KubeConfig();
config.loadFromFile(process.env.KUBECONFIG);
// The client refuses http:// unless it is told not to look at certificates.
const cluster = config.getCurrentCluster();
if (cluster.server.startsWith('http://')) cluster.skipTLSVerify = true;
const core = config.makeApiClient(k8s.CoreV1Api);
const mergePatch = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.MergePatch);
const applyPatch = k8s.setHeaderOptions('Content-Type', k8s.PatchStrategy.ServerSideApply);

function check(ok, what) {
  if (!ok) throw new Error(what);
}

async function refused(status, promise) {
  try {
    await promise;
  } catch (error) {
    check(error.code === status, `${error.code}, not ${status}: ${error.message}`);
    return;
  }
  throw new Error(`not refused with ${status}`);
}

// What was seen, in order; `next` waits for it.
class Seen {
  items = [];
  waiting = [];
  add(item) {
    const waiter = this.waiting.shift();
    if (waiter) waiter(item);
    else this.items.push(item);
  }
  async expect(want) {
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new Error(`never: ${want}`)), patience);
    });
    const item = this.items.length > 0
      ? this.items.shift()
      : await Promise.race([new Promise((resolve) => this.waiting.push(resolve)), late]);
    clearTimeout(timer);
    check(item === want, `${item}, not ${want}`);
  }
}

const configMap = (name, value, resourceVersion) => ({
  metadata: { name, labels: { app: name }, resourceVersion },
  data: { key: value },
});
const create = (body) => core.createNamespacedConfigMap({ namespace, body });
const patch = (name, body) => core.patchNamespacedConfigMap({ name, namespace, body }, mergePatch);
const remove = (name) => core.deleteNamespacedConfigMap({ name, namespace });

async function crud() {
  const created = await create(configMap('crud', '1'));
  await refused(409, create(configMap('crud', '1')));
  const body = configMap('crud', '2', created.metadata.resourceVersion);
  const replaced = await core.replaceNamespacedConfigMap({ name: 'crud', namespace, body });
  check(replaced.data.key === '2', 'replace');
  await refused(409, core.replaceNamespacedConfigMap({ name: 'crud', namespace, body }));
  const patched = await patch('crud', { data: { more: '3' } });
  check(Object.keys(patched.data).length === 2, 'patch');
  const listed = await core.listNamespacedConfigMap({ namespace, labelSelector: 'app=crud' });
  check(listed.items.length === 1, 'list by label');
  await remove('crud');
  await refused(404, core.readNamespacedConfigMap({ name: 'crud', namespace }));
}

async function watch() {
  const list = await core.listNamespacedConfigMap({ namespace });
  const seen = new Seen();
  const request = await new k8s.Watch(config).watch(
    `/api/v1/namespaces/${namespace}/configmaps`,
    { resourceVersion: list.metadata.resourceVersion, labelSelector: 'app=watched' },
    (type) => seen.add(type),
    () => {},
  );
  await create(configMap('watched', '1'));
  await patch('watched', { data: { key: '2' } });
  await remove('watched');
  for (const want of ['ADDED', 'MODIFIED', 'DELETED']) await seen.expect(want);
  request.abort();
}

async function informer() {
  await create(configMap('before', '1'));
  const seen = new Seen();
  const maps = k8s.makeInformer(
    config,
    `/api/v1/namespaces/${namespace}/configmaps`,
    () => core.listNamespacedConfigMap({ namespace, labelSelector: 'app in (before,after)' }),
    'app in (before,after)',
  );
  for (const event of ['add', 'update', 'delete']) {
    maps.on(event, (object) => seen.add(`${event} ${object.metadata.name}`));
  }
  await maps.start();
  await seen.expect('add before');
  await create(configMap('after', '1'));
  await seen.expect('add after');
  await patch('after', { data: { key: '2' } });
  await seen.expect('update after');
  await remove('before');
  await seen.expect('delete before');
  check(maps.list().length === 1 && maps.get('after', namespace).data.key === '2', 'the cache');
  await maps.stop();
}

async function apply() {
  for (const value of ['1', '2']) {
    const body = {
      apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'applied' }, data: { key: value },
    };
    const applied = await core.patchNamespacedConfigMap(
      { name: 'applied', namespace, body, fieldManager: 'client', force: true }, applyPatch);
    check(applied.data.key === value, `applied ${value}`);
  }
}

// Creates a pod, and does what a scheduler and a kubelet do, since there is neither.
async function newPod(name) {
  const containers = [{ name: 'main', image: 'example.com/main:1' }];
  await core.createNamespacedPod({
    namespace, body: { metadata: { name, labels: { app: name } }, spec: { containers } },
  });
  const target = { kind: 'Node', name: 'node-1' };
  await core.createNamespacedPodBinding({ name, namespace, body: { metadata: { name }, target } });
  const status = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
  return core.patchNamespacedPodStatus({ name, namespace, body: { status } }, mergePatch);
}

async function pods() {
  const pod = await newPod('web');
  check(pod.spec.nodeName === 'node-1', 'not bound');
  check(pod.status.phase === 'Running', `phase ${pod.status.phase}`);
  const fieldSelector = 'status.phase=Running';
  const running = await core.listNamespacedPod({ namespace, fieldSelector });
  check(running.items.length === 1, `${running.items.length} are running`);
  await core.deleteNamespacedPod({ name: 'web', namespace, gracePeriodSeconds: 0 });
  await refused(404, core.readNamespacedPod({ name: 'web', namespace }));
}

async function eviction() {
  const evict = (name) =>
    core.createNamespacedPodEviction({ name, namespace, body: { metadata: { name } } });
  await newPod('free');
  await evict('free');
  await newPod('kept');
  const policy = config.makeApiClient(k8s.PolicyV1Api);
  const selector = { matchLabels: { app: 'kept' } };
  await policy.createNamespacedPodDisruptionBudget({
    namespace, body: { metadata: { name: 'budget' }, spec: { minAvailable: 1, selector } },
  });
  // The disruption controller's part.
  const status = {
    observedGeneration: 1, currentHealthy: 1, desiredHealthy: 1, expectedPods: 1,
    disruptionsAllowed: 0,
  };
  await policy.patchNamespacedPodDisruptionBudgetStatus(
    { name: 'budget', namespace, body: { status } }, mergePatch);
  await refused(429, evict('kept'));
}

// The client has no leader election: a Lease, written with its version, as others do it.
class Candidate {
  constructor(identity) {
    this.identity = identity;
    this.leases = config.makeApiClient(k8s.CoordinationV1Api);
  }
  async tryToLead() {
    const name = 'leader';
    const spec = {
      holderIdentity: this.identity, leaseDurationSeconds: 1, renewTime: new k8s.V1MicroTime(),
    };
    try {
      const lease = await this.leases.readNamespacedLease({ name, namespace });
      const age = Date.now() - new Date(lease.spec.renewTime).getTime();
      if (lease.spec.holderIdentity !== this.identity && age < 1000) return false;
      lease.spec = spec;
      await this.leases.replaceNamespacedLease({ name, namespace, body: lease });
    } catch (error) {
      if (error.code === 409) return false;
      if (error.code !== 404) throw error;
      await this.leases.createNamespacedLease({ namespace, body: { metadata: { name }, spec } });
    }
    return true;
  }
}

async function leader() {
  const [first, second] = [new Candidate('first'), new Candidate('second')];
  check(await first.tryToLead(), 'the first does not lead');
  check(!(await second.tryToLead()), 'both lead');
  check(await first.tryToLead(), 'the first cannot renew');
  await new Promise((resolve) => setTimeout(resolve, 1100));
  check(await second.tryToLead(), 'the second does not take over');
  check(!(await first.tryToLead()), 'the first leads, still');
}

await core.createNamespace({ body: { metadata: { name: namespace } } });
let failed = false;
for (const scenario of [crud, watch, informer, apply, pods, eviction, leader]) {
  try {
    await scenario();
    console.log(`ok   ${scenario.name}`);
  } catch (error) {
    failed = true;
    console.log(`FAIL ${scenario.name}: ${error.message}`);
  }
}
await core.deleteNamespace({ name: namespace });
process.exit(failed ? 1 : 0);
