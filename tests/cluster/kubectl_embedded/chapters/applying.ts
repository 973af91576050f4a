import type { Chapter } from "../step.ts";

function deployment(spec: object, labels?: object) {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "web", labels },
    spec: {
      selector: { matchLabels: { app: "web" } },
      template: {
        metadata: { labels: { app: "web" } },
        spec: { containers: [{ name: "web", image: "nginx:1", ports: [{ containerPort: 80 }] }] },
      },
      ...spec,
    },
  };
}

const twoContainers = (image: string) =>
  deployment({
    template: {
      metadata: { labels: { app: "web" } },
      spec: {
        containers: [
          { name: "web", image, ports: [{ containerPort: 80 }, { containerPort: 443 }] },
          { name: "helper", image: "busybox" },
        ],
      },
    },
  });

function settings(data?: object) {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data };
}

const part = (name: string) => ({
  apiVersion: "v1",
  kind: "ConfigMap",
  metadata: { name, labels: { part: "of-set" } },
});

const list = (...items: object[]) => ({ apiVersion: "v1", kind: "List", items });

/** Applying, patching, editing and replacing. */
export const APPLYING: Chapter = {
  name: "kubectl applies, patches, edits and replaces",
  namespace: "apply",
  steps: [
    // Client-side: the patch is computed from the last applied object and the schema's merge keys.
    { run: "apply -f -", input: deployment({ replicas: 2 }), prints: "deployment.apps/web created" },
    { run: "apply -f -", input: deployment({ replicas: 2 }), prints: "deployment.apps/web unchanged" },
    { run: "diff -f -", input: deployment({ replicas: 2 }), prints: /^$/ },
    {
      run: "diff -f -",
      input: deployment({ replicas: 3 }),
      exits: 1,
      prints: [/^- {2}replicas: 2$/m, /^\+ {2}replicas: 3$/m],
      differs: "file names",
    },
    {
      run: "apply -f - --dry-run=server",
      input: deployment({ replicas: 3 }),
      prints: "deployment.apps/web configured (server dry run)",
    },
    {
      run: "apply -f - --dry-run=client",
      input: deployment({ replicas: 3 }),
      prints: "deployment.apps/web configured (dry run)",
    },
    { run: "get deployment web -o jsonpath={.spec.replicas}", prints: "2" },
    { run: "apply -f -", input: twoContainers("nginx:2"), prints: "deployment.apps/web configured" },
    {
      run:
        "get deployment web -o jsonpath={.spec.template.spec.containers[*].name}:{.spec.template.spec.containers[0].ports[*].containerPort}",
      prints: "web helper:80 443",
    },
    { run: "set env deployment/web -c helper ADDED=by-hand", prints: "deployment.apps/web env updated" },
    { run: "apply -f -", input: twoContainers("nginx:3"), prints: "deployment.apps/web configured" },
    {
      run:
        "get deployment web -o jsonpath={.spec.template.spec.containers[0].image}:{.spec.template.spec.containers[1].env[0].value}",
      prints: "nginx:3:by-hand",
    },
    { run: "apply -f -", input: deployment({}), prints: "deployment.apps/web configured" },
    { run: "get deployment web -o jsonpath={.spec.template.spec.containers[*].name}", prints: "web" },
    { run: "apply view-last-applied deployment/web -o json", prints: /"image": "nginx:1"/ },
    {
      run: "apply edit-last-applied deployment/web",
      env: { KUBE_EDITOR: "true" },
      prints: /Edit cancelled, no changes made/,
    },
    {
      run: "apply -f -",
      input: { ...deployment({}), spec: { nothing: 1 } },
      exits: 1,
      prints: /unknown field "spec.nothing"/,
    },
    // Server-side.
    {
      run: "apply --server-side -f -",
      input: settings({ colour: "red" }),
      prints: "configmap/settings serverside-applied",
    },
    {
      run: "apply --server-side --field-manager=other -f -",
      input: settings({ colour: "blue" }),
      exits: 1,
      prints: /^error: Apply failed with 1 conflict: conflict with "kubectl": \.data\.colour$/m,
    },
    {
      run: "apply --server-side --field-manager=other --force-conflicts -f -",
      input: settings({ colour: "blue" }),
      prints: "configmap/settings serverside-applied",
    },
    {
      run: "get configmap settings --show-managed-fields -o jsonpath={.metadata.managedFields[*].manager}",
      prints: "other",
    },
    {
      run: "apply --server-side -f -",
      input: settings({ size: "7" }),
      prints: "configmap/settings serverside-applied",
    },
    { run: "get configmap settings -o jsonpath={.data}", prints: '{"colour":"blue","size":"7"}' },
    {
      run: "apply --server-side --field-manager=other -f -",
      input: settings(),
      prints: "configmap/settings serverside-applied",
    },
    { run: "get configmap settings -o jsonpath={.data}", prints: '{"size":"7"}' },
    {
      run: "apply --server-side --dry-run=server -f -",
      input: settings({ size: "8" }),
      prints: "configmap/settings serverside-applied (server dry run)",
    },
    {
      run: "diff --server-side -f -",
      input: settings({ size: "8" }),
      exits: 1,
      prints: [/^- {2}size: "7"$/m, /^\+ {2}size: "8"$/m],
      differs: "file names",
    },
    {
      run: "apply --server-side -f -",
      input: deployment({}, { taken: "over" }),
      prints: "deployment.apps/web serverside-applied",
    },
    // Pruning.
    {
      run: "apply --prune -l part=of-set -f -",
      input: list(part("one"), part("two")),
      prints: ["configmap/one created", "configmap/two created"],
    },
    {
      run: "apply --prune -l part=of-set --prune-allowlist=core/v1/ConfigMap -f -",
      input: list(part("one")),
      prints: ["configmap/one unchanged", "configmap/two pruned"],
    },
    // Patches of each type.
    { run: `patch configmap settings -p '{"data":{"a":"1"}}'`, prints: "configmap/settings patched" },
    { run: `patch configmap settings -p '{"data":{"a":"1"}}'`, prints: "configmap/settings patched (no change)" },
    {
      run: `patch configmap settings --type=merge -p '{"data":{"a":null,"b":"2"}}'`,
      prints: "configmap/settings patched",
    },
    {
      run:
        `patch configmap settings --type=json -p '[{"op":"test","path":"/data/b","value":"2"},{"op":"add","path":"/data/c","value":"3"}]'`,
      prints: "configmap/settings patched",
    },
    {
      run: `patch configmap settings --type=json -p '[{"op":"test","path":"/data/b","value":"other"}]'`,
      exits: 1,
      prints: /the server rejected our request|testing path \/data\/b/,
    },
    {
      run:
        `patch deployment web --type=strategic -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox"}]}}}}'`,
      prints: "deployment.apps/web patched",
    },
    { run: "get deployment web -o jsonpath={.spec.template.spec.containers[*].name}", prints: "side web" },
    {
      run:
        `patch deployment web --subresource=status --type=merge -p '{"status":{"conditions":[{"type":"Odd","status":"True"}]}}' -o name`,
      prints: "deployment.apps/web",
    },
    {
      run: `patch deployment web --subresource=scale --type=merge -p '{"spec":{"replicas":2}}'`,
      prints: "scale.autoscaling/web patched",
    },
    { run: "get configmap settings -o jsonpath={.data}", prints: '{"b":"2","c":"3","size":"7"}' },
    // Editing and replacing.
    {
      run: "edit configmap settings",
      env: { KUBE_EDITOR: "sed -i s/size/length/" },
      prints: "configmap/settings edited",
    },
    { run: "edit configmap settings", env: { KUBE_EDITOR: "true" }, prints: "Edit cancelled, no changes made." },
    { run: "get configmap settings -o jsonpath={.data.length}", prints: "7" },
    { run: "replace -f -", input: settings({ only: "this" }), prints: "configmap/settings replaced" },
    { run: "get configmap settings -o jsonpath={.data}", prints: '{"only":"this"}' },
    {
      run: "replace -f -",
      input: { ...settings(), metadata: { name: "settings", resourceVersion: "1" } },
      exits: 1,
      prints: /the object has been modified; please apply your changes to the latest version and try again/,
    },
    {
      run: "replace --force -f -",
      input: settings({ fresh: "yes" }),
      prints: [/^configmap "settings" deleted/m, "configmap/settings replaced"],
    },
    {
      run: "replace -f -",
      input: { ...settings(), metadata: { name: "none" } },
      exits: 1,
      prints: /configmaps "none" not found/,
    },
  ],
};
