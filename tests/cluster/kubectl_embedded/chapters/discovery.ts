import type { Chapter } from "../step.ts";

/** What kubectl finds out about the server. */
export const DISCOVERY: Chapter = {
  name: "kubectl finds out what the server serves",
  namespace: "find-out",
  steps: [
    {
      run: "version",
      prints: [/^Client Version: v1\.36\./m, /^Server Version: v1\.36\./m],
      differs: "each has its own version",
    },
    { run: "api-versions", prints: ["v1", "apps/v1", "autoscaling/v1\nautoscaling/v2", "storage.k8s.io/v1"] },
    { run: "api-resources", prints: [/^pods +po +v1 +true +Pod$/m, /^customresourcedefinitions +crd,crds /m] },
    { run: "api-resources --namespaced=false -o name", prints: ["nodes", "clusterroles.rbac.authorization.k8s.io"] },
    {
      run: "api-resources --api-group=apps -o wide",
      prints: /^deployments +deploy .*create,delete,deletecollection.* all$/m,
    },
    { run: "api-resources --categories=all -o name --sort-by=name", prints: ["deployments.apps", "pods", "services"] },
    { run: "cluster-info", prints: /Kubernetes control plane.* is running at.*http/, differs: "addresses" },
    { run: "get apiservices", prints: [/^v1\.apps +Local +True +\S+$/m, /^v2\.autoscaling +Local +True/m] },
    { run: "get --raw /healthz", prints: "ok" },
    { run: "get --raw /apis/apps", prints: /"preferredVersion":\s*\{\s*"groupVersion":\s*"apps\/v1"/ },
    {
      run: "get --raw /api/v1/namespaces/default",
      differs: "the order of fields",
      prints: /"kubernetes.io\/metadata.name":\s*"default"/,
    },
    {
      run: "get --raw /nothing",
      exits: 1,
      prints: "Error from server (NotFound): the server could not find the requested resource",
    },
    { run: "get nothings", exits: 1, prints: 'error: the server doesn\'t have a resource type "nothings"' },
    {
      run: "explain pods.spec.containers --recursive",
      prints: [/^FIELD: containers <\[\]Container>/m, /^ {2}env\t<\[\]EnvVar>\n {4}name\t<string> -required-$/m],
      differs: "no descriptions",
    },
    {
      run: "explain deploy.spec.strategy",
      prints: [
        /^GROUP: +apps$/m,
        /^ {2}enum: Recreate, RollingUpdate$/m,
        /^ {2}rollingUpdate\t<RollingUpdateDeployment>$/m,
      ],
      differs: "no descriptions",
    },
    {
      run: "explain jobs --api-version=batch/v1",
      prints: [/^KIND: +Job$/m, /^ {2}spec\t<JobSpec>$/m],
      differs: "no descriptions",
    },
    { run: "explain pods.spec.nothing", exits: 1, prints: 'error: field "nothing" does not exist' },
    { run: "auth whoami", prints: /^Groups +\[.*system:masters.*\]$/m, differs: "users" },
    { run: "auth can-i create deployments", prints: "yes" },
    { run: "auth can-i list pods --as=somebody", exits: 1, prints: /^no/m },
    { run: "auth can-i --list", prints: /^\*\.\* +\[\] +\[\] +\[\*\]$/m },
    { run: "top nodes", exits: 1, prints: "error: Metrics API not available" },
  ],
};
