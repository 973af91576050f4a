import type { Chapter } from "../step.ts";

const HELD = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "held" },
  spec: { containers: [{ name: "c", image: "nginx:1", envFrom: [{ configMapRef: { name: "settings" } }] }] },
};
const UNMOUNTED = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "unmounted" },
  spec: {
    containers: [{ name: "c", image: "nginx:1" }],
    volumes: [{ name: "v", secret: { secretName: "keys" } }],
  },
};
const LARGE = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name: "large" },
  spec: { containers: [{ name: "c", image: "nginx:1", resources: { requests: { cpu: "1k" } } }] },
};
const COUNTS = "how often something was tried";
const KUBELET = "kube-apiserver asks a kubelet, and here is none";

/** What became of a pod, and what its containers cannot be asked. */
export const PODS: Chapter = {
  name: "kubectl tells what became of a pod",
  namespace: "pods",
  steps: [
    { run: "create -f -", input: HELD, prints: "pod/held created" },
    { run: "get pod held", prints: /^held +0\/1 +CreateContainerConfigError /m, waits: true },
    {
      run: "describe pod held",
      prints: [
        / Normal +Scheduled .* default-scheduler +Successfully assigned pods\/held to node-\d/,
        / Warning +Failed .* kubelet .*Error: configmap "settings" not found/,
      ],
      waits: true,
      differs: COUNTS,
    },
    { run: "create configmap settings --from-literal=a=b", prints: "configmap/settings created" },
    { run: "wait --for=condition=Ready pod/held --timeout=60s", prints: "pod/held condition met" },
    { run: "create -f -", input: UNMOUNTED, prints: "pod/unmounted created" },
    {
      run: "describe pod unmounted",
      prints: / Warning +FailedMount .* kubelet +MountVolume\.SetUp failed for volume "v" : secret "keys" not found/,
      waits: true,
      differs: COUNTS,
    },
    { run: "get pod unmounted", prints: /^unmounted +0\/1 +ContainerCreating /m },
    { run: "create secret generic keys --from-literal=a=b", prints: "secret/keys created" },
    { run: "wait --for=condition=Ready pod/unmounted --timeout=60s", prints: "pod/unmounted condition met" },
    { run: "create -f -", input: LARGE, prints: "pod/large created" },
    {
      run: "describe pod large",
      prints: [
        /^Events:\n +Type +Reason +Age +From +Message\n/m,
        / Warning +FailedScheduling .* default-scheduler +0\/2 nodes are available: 2 Insufficient cpu\. no new claims/,
      ],
      waits: true,
      differs: COUNTS,
    },
    {
      run: "get events --field-selector involvedObject.name=held,reason=Scheduled",
      prints: /^\S+ +Normal +Scheduled +pod\/held +Successfully assigned pods\/held to node-\d$/m,
    },
    {
      run: "exec held -- ls",
      exits: 1,
      prints: 'error: unable to upgrade connection: the subresource "exec" is not simulated by this server',
      embeddedOnly: KUBELET,
    },
    {
      run: "attach held",
      exits: 1,
      prints: 'error: unable to upgrade connection: the subresource "attach" is not simulated by this server',
      embeddedOnly: KUBELET,
    },
    {
      run: "port-forward held 0:80",
      exits: 1,
      prints: /unable to upgrade connection: the subresource "portforward" is not simulated by this server/,
      embeddedOnly: KUBELET,
    },
    {
      run: "cp held:/etc/hosts hosts",
      exits: 1,
      prints: /unable to upgrade connection: the subresource "exec" is not simulated by this server/,
      embeddedOnly: KUBELET,
    },
    { run: "exec none -- ls", exits: 1, prints: 'Error from server (NotFound): pods "none" not found' },
  ],
};
