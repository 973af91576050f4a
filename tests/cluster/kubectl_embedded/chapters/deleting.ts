import type { Chapter } from "../step.ts";

/** Deletion, with each propagation. */
export const DELETING: Chapter = {
  name: "kubectl deletes",
  namespace: "remove",
  steps: [
    { run: "create deployment background --image=nginx:1 --replicas=2", prints: "deployment.apps/background created" },
    { run: "create deployment foreground --image=nginx:1 --replicas=2", prints: "deployment.apps/foreground created" },
    { run: "create deployment orphan --image=nginx:1 --replicas=1", prints: "deployment.apps/orphan created" },
    {
      run: "wait --for=condition=Available deployment --all --timeout=60s",
      prints: /^deployment\.apps\/orphan condition met$/m,
    },
    {
      run: "delete deployment background --dry-run=server",
      prints: 'deployment.apps "background" deleted from remove namespace (server dry run)',
    },
    { run: "delete deployment background", prints: 'deployment.apps "background" deleted from remove namespace' },
    {
      run: "wait --for=delete rs,pod -l app=background --timeout=60s",
      prints: /condition met|^$/m,
      differs: "what is gone already",
    },
    {
      run: "delete deployment foreground --cascade=foreground --timeout=60s",
      prints: 'deployment.apps "foreground" deleted from remove namespace',
    },
    { run: "get rs,pods -l app=foreground", prints: "No resources found in remove namespace." },
    {
      run: "delete deployment orphan --cascade=orphan",
      prints: 'deployment.apps "orphan" deleted from remove namespace',
    },
    { run: "get rs -l app=orphan -o jsonpath={.items[*].metadata.ownerReferences}", prints: /^$/, waits: true },
    { run: "get pods -l app=orphan --no-headers", prints: /^orphan-\S+ +1\/1 +Running/m },
    {
      run: "delete rs -l app=orphan --wait=false",
      prints: /^replicaset\.apps "orphan-\w+" deleted from remove namespace$/m,
      differs: "hashes of names",
    },
    {
      run: "wait --for=delete pod -l app=orphan --timeout=60s",
      prints: /condition met|^$/m,
      differs: "what is gone already",
    },
    { run: "run one --image=nginx:1", prints: "pod/one created" },
    { run: "run two --image=nginx:1", prints: "pod/two created" },
    { run: "run three --image=nginx:1", prints: "pod/three created" },
    { run: "wait --for=condition=Ready pod --all --timeout=60s", prints: "pod/one condition met" },
    { run: "delete pod one --grace-period=5", prints: 'pod "one" deleted from remove namespace' },
    {
      run: "delete pod two --force --grace-period=0",
      prints: [
        /^Warning: Immediate deletion does not wait for confirmation/m,
        'pod "two" force deleted from remove namespace',
      ],
    },
    { run: "delete pod three --now", prints: 'pod "three" deleted from remove namespace' },
    { run: "get pods", prints: "No resources found in remove namespace." },
    { run: "delete pod none", exits: 1, prints: 'Error from server (NotFound): pods "none" not found' },
    { run: "delete pod none --ignore-not-found", prints: /^$/ },
    { run: "create configmap kept --from-literal=a=b", prints: "configmap/kept created" },
    {
      run: `patch configmap kept --type=merge -p '{"metadata":{"finalizers":["example.com/wait"]}}'`,
      prints: "configmap/kept patched",
    },
    { run: "delete configmap kept --wait=false", prints: 'configmap "kept" deleted from remove namespace' },
    {
      run: "delete configmap kept --timeout=1s",
      exits: 1,
      prints: /timed out waiting for the condition on configmaps\/kept/,
    },
    {
      run: "wait --for=delete configmap/kept --timeout=1s",
      exits: 1,
      prints: /timed out waiting for the condition on configmaps\/kept/,
    },
    {
      run: `patch configmap kept --type=json -p '[{"op":"remove","path":"/metadata/finalizers"}]'`,
      prints: "configmap/kept patched",
    },
    { run: "get configmap kept", exits: 1, prints: 'Error from server (NotFound): configmaps "kept" not found' },
    { run: "create job lasting --image=busybox", prints: "job.batch/lasting created" },
    { run: "delete job lasting --cascade=background", prints: 'job.batch "lasting" deleted from remove namespace' },
    { run: "create configmap some --from-literal=a=b", prints: "configmap/some created" },
    { run: "label configmap some group=all", prints: "configmap/some labeled" },
    { run: "delete configmap -l group=all", prints: 'configmap "some" deleted from remove namespace' },
    { run: "create namespace remove-too", prints: "namespace/remove-too created" },
    { run: "create configmap inside -n remove-too", prints: "configmap/inside created" },
    { run: "delete namespace remove-too --timeout=60s", prints: 'namespace "remove-too" deleted' },
    { run: "get configmap inside -n remove-too", exits: 1, prints: /not found/ },
    {
      run: "delete namespace default",
      exits: 1,
      prints: /namespaces "default" is forbidden: this namespace may not be deleted/,
    },
  ],
};
