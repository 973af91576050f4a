import type { Chapter } from "../step.ts";

const pod = (name: string, image: string, labels: object) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels },
  spec: {
    containers: [{ name: "c", image, ports: [{ containerPort: 80, name: "http" }] }],
    terminationGracePeriodSeconds: 1,
  },
});

/** Every way to look at things. */
export const READING: Chapter = {
  name: "kubectl gets and describes things",
  namespace: "read",
  steps: [
    { run: "get pods", prints: "No resources found in read namespace." },
    { run: "create -f -", input: pod("b", "nginx:2", { app: "web", tier: "front" }), prints: "pod/b created" },
    { run: "create -f -", input: pod("a", "nginx:3", { app: "web" }), prints: "pod/a created" },
    { run: "create -f -", input: pod("c", "nginx:1", { app: "db" }), prints: "pod/c created" },
    {
      run: "wait --for=condition=Ready pod --all --timeout=60s",
      prints: ["pod/a condition met", "pod/c condition met"],
    },
    { run: "create configmap settings --from-literal=colour=red", prints: "configmap/settings created" },
    { run: "create quota small --hard=pods=20", prints: "resourcequota/small created" },
    { run: "create service clusterip web --tcp=80:80", prints: "service/web created" },
    { run: "create job once --image=busybox", prints: "job.batch/once created" },
    { run: "get pods -l app", prints: [/^NAME +READY +STATUS +RESTARTS +AGE$/m, /^a +1\/1 +Running +0 +\S+$/m] },
    {
      run: "get pods a b c -o wide",
      prints: [
        /^NAME +READY +STATUS +RESTARTS +AGE +IP +NODE +NOMINATED NODE +READINESS GATES$/m,
        /^a +1\/1 +Running +0 +\S+ +\S+ +node-\d +<none> +<none>$/m,
      ],
    },
    {
      run: "get pod a -o yaml",
      prints: [/^apiVersion: v1\nkind: Pod\nmetadata:$/m, /^ {4}image: nginx:3$/m, /^ {2}phase: Running$/m],
      differs: "what the kubelet's stand-in does when",
    },
    {
      run: "get pod a -o json",
      prints: [/^ {4}"kind": "Pod",$/m, /^ {16}"image": "nginx:3",$/m],
      differs: "what the kubelet's stand-in does when",
    },
    { run: "get pods -l app -o jsonpath={.items[*].metadata.name}", prints: "a b c" },
    { run: `get pods a -o 'jsonpath={.spec.containers[?(@.name=="c")].image}'`, prints: "nginx:3" },
    {
      run: "get pods -l app -o custom-columns=NAME:.metadata.name,IMAGE:.spec.containers[0].image,NONE:.spec.none",
      prints: /^NAME +IMAGE +NONE\na +nginx:3 +<none>$/m,
    },
    { run: "get pods -l app -o go-template={{range.items}}{{.metadata.name}};{{end}}", prints: "a;b;c;" },
    { run: "get pods -l app=web", prints: /^a .*\nb .*$/m },
    { run: "get pods -l app!=web,app -o name", prints: "pod/c" },
    { run: "get pods -l 'app in (web,db),tier' -o name", prints: "pod/b" },
    { run: "get pods -l 'app=(' -o name", exits: 1, prints: /unable to parse requirement/ },
    { run: "get pods --field-selector metadata.name=b -o name", prints: "pod/b" },
    {
      run: "get pods --field-selector status.phase=Running,spec.restartPolicy=Always -l app -o name",
      prints: "pod/a\npod/b\npod/c",
    },
    { run: "get pods --field-selector spec.colour=red", exits: 1, prints: /field label not supported: spec\.colour/ },
    { run: "get pods -l app --sort-by={.spec.containers[0].image} -o name", prints: "pod/c\npod/b\npod/a" },
    { run: "get pods -l app --show-labels", prints: /^b +1\/1 +Running +0 +\S+ +app=web,tier=front$/m },
    { run: "get pods -l app -L tier", prints: [/^NAME .* TIER$/m, /^b +1\/1 .* front$/m] },
    { run: "get pods,configmaps -l app -o name", prints: "pod/a\npod/b\npod/c" },
    { run: "get pod/a configmap/settings", prints: [/^pod\/a +1\/1/m, /^configmap\/settings +1 +\S+$/m] },
    {
      run: "get pods -A -l tier=front",
      prints: /^NAMESPACE +NAME +READY .*\nread +b +1\/1 /m,
    },
    {
      run: "get pods -l app -w --request-timeout=2s --output-watch-events",
      exits: 0,
      prints: [/^EVENT +NAME +READY +STATUS/m, /^ADDED +a +1\/1 +Running/m],
      differs: "what the kubelet's stand-in does when",
    },
    { run: "get pods -l app --chunk-size=1 -o name", prints: "pod/a\npod/b\npod/c" },
    { run: "get pods a none", exits: 1, prints: [/^a +1\/1/m, 'Error from server (NotFound): pods "none" not found'] },
    { run: "get pods --ignore-not-found none", prints: /^$/ },
    { run: "get pods --server-print=false a", prints: /^NAME +AGE\na +\S+$/m },
    { run: "get deployments.v1.apps", prints: "No resources found in read namespace." },
    { run: "get limits,quota", prints: /^resourcequota\/small /m, differs: "who counts for the quota when" },
    {
      run: "describe pod a",
      prints: [
        /^Name: +a$/m,
        /^Status: +Running$/m,
        /^ {4}Image: +nginx:3$/m,
        /^ {2}Ready +True/m,
        /^QoS Class: +BestEffort$/m,
      ],
    },
    {
      // kube-apiserver looks through all addresses now and then, and may then warn of one that is just being given.
      run: "describe service web --show-events=false",
      prints: [/^Name: +web$/m, /^Selector: +app=web$/m, /^Type: +ClusterIP$/m, /^TargetPort: +80\/TCP$/m],
    },
    {
      run: "describe node node-0",
      prints: [/^Name: +node-0$/m, /^ {2}Ready +True/m, /^Non-terminated Pods:/m, /^Allocated resources:/m],
      differs: "what runs there",
    },
    {
      run: "describe namespace read",
      prints: [/^Name: +read$/m, /^Status: +Active$/m, /^ {2}Name: +small$/m],
      differs: "who counts for the quota when",
    },
    {
      run: "describe job once",
      prints: [/^Name: +once$/m, /^Parallelism: +1$/m, /^Completions: +1$/m],
      differs: "who runs Jobs when",
    },
    { run: "describe configmap settings", prints: [/^colour:\n----\nred$/m] },
    { run: "describe pod none", exits: 1, prints: 'Error from server (NotFound): pods "none" not found' },
    { run: "get pvc", prints: "No resources found in read namespace." },
    {
      run: "create -f -",
      input: {
        apiVersion: "v1",
        kind: "PersistentVolumeClaim",
        metadata: { name: "data" },
        spec: { accessModes: ["ReadWriteOnce"], storageClassName: "none", resources: { requests: { storage: "1Gi" } } },
      },
      prints: "persistentvolumeclaim/data created",
    },
    { run: "get pvc data", prints: /^data +Pending +none +<unset> +\S+$/m },
    {
      // Its controller repeats its warning every fifteen seconds; how often it has by now, either server may say.
      run: "describe pvc data --show-events=false",
      prints: [/^StorageClass: +none$/m, /^Status: +Pending$/m, /^Finalizers: +\[kubernetes\.io\/pvc-protection\]$/m],
    },
    { run: "get events --field-selector involvedObject.name=none", prints: "No resources found in read namespace." },
  ],
};
