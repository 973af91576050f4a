import type { Chapter } from "../step.ts";

const BUDGET = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name: "calm" },
  spec: { minAvailable: 2, selector: { matchLabels: { app: "web" } } },
};

/** Taints, cordons and draining against a disruption budget. */
export const NODES: Chapter = {
  name: "kubectl taints, cordons and drains nodes",
  namespace: "drain",
  steps: [
    {
      run: "get nodes",
      prints: [/^NAME +STATUS +ROLES +AGE +VERSION$/m, /^node-0 +Ready +<none> +\S+ +v1\.36\.\d+\S*$/m],
      waits: true,
    },
    { run: "get nodes -o wide", prints: /^node-1 +Ready +<none> +\S+ +\S+ +\S+ +<none> +\S+.* +\S+$/m },
    { run: "label node node-0 node-role.kubernetes.io/worker=", prints: "node/node-0 labeled" },
    { run: "get node node-0", prints: /^node-0 +Ready +worker /m },
    { run: "taint node node-1 colour=red:NoSchedule", prints: "node/node-1 tainted" },
    {
      run: "taint node node-1 colour=red:NoSchedule",
      exits: 1,
      prints: /already has colour taint\(s\) with same effect\(s\)/,
    },
    { run: "get node node-1 -o jsonpath={.spec.taints[0].key}", prints: "colour" },
    { run: "create deployment web --image=nginx:1 --replicas=2", prints: "deployment.apps/web created" },
    {
      run: "rollout status deployment/web --timeout=60s",
      prints: /successfully rolled out/,
      differs: "what is waited for",
    },
    { run: "get pods -o jsonpath={.items[*].spec.nodeName}", prints: "node-0 node-0" },
    { run: "taint node node-1 colour-", prints: "node/node-1 untainted" },
    { run: "cordon node-1", prints: "node/node-1 cordoned" },
    { run: "cordon node-1", prints: "node/node-1 already cordoned" },
    { run: "get node node-1", prints: /^node-1 +Ready,SchedulingDisabled /m },
    { run: "uncordon node-1", prints: "node/node-1 uncordoned" },
    { run: "create -f -", input: BUDGET, prints: "poddisruptionbudget.policy/calm created" },
    { run: "get pdb calm -o jsonpath={.status.disruptionsAllowed}", prints: "0", waits: true },
    {
      run: "drain node-0 --timeout=1s",
      exits: 1,
      prints: ["node/node-0 cordoned", /Cannot evict pod as it would violate the pod's disruption budget/],
      differs: "names of pods and how often it tries",
    },
    { run: "get node node-0", prints: /^node-0 +Ready,SchedulingDisabled /m },
    {
      run: `patch pdb calm --type=merge -p '{"spec":{"minAvailable":1}}'`,
      prints: "poddisruptionbudget.policy/calm patched",
    },
    { run: "get pdb calm -o jsonpath={.status.disruptionsAllowed}", prints: "1", waits: true },
    {
      run: "drain node-0 --timeout=60s --ignore-daemonsets",
      prints: ["node/node-0 already cordoned", /^evicting pod drain\/web-/m, "node/node-0 drained"],
      differs: "names of pods",
    },
    { run: "wait --for=condition=Available deployment/web --timeout=60s", prints: "deployment.apps/web condition met" },
    { run: "get pods -o jsonpath={.items[*].spec.nodeName}", prints: "node-1 node-1", waits: true },
    { run: "get pdb calm -o jsonpath={.status.disruptionsAllowed}", prints: "1", waits: true },
    { run: "uncordon node-0", prints: "node/node-0 uncordoned" },
  ],
};
