import type { Chapter } from "../step.ts";

const DEFINITION = {
  apiVersion: "apiextensions.k8s.io/v1",
  kind: "CustomResourceDefinition",
  metadata: { name: "gizmos.toys.example.com" },
  spec: {
    group: "toys.example.com",
    scope: "Namespaced",
    names: { kind: "Gizmo", plural: "gizmos", singular: "gizmo", shortNames: ["gz"], categories: ["toys"] },
    versions: [{
      name: "v1",
      served: true,
      storage: true,
      subresources: {
        status: {},
        scale: { specReplicasPath: ".spec.size", statusReplicasPath: ".status.size" },
      },
      additionalPrinterColumns: [
        { name: "Size", type: "integer", jsonPath: ".spec.size" },
        { name: "Colour", type: "string", jsonPath: ".spec.colour", priority: 1 },
        { name: "Age", type: "date", jsonPath: ".metadata.creationTimestamp" },
      ],
      schema: {
        openAPIV3Schema: {
          type: "object",
          properties: {
            spec: {
              type: "object",
              required: ["size"],
              properties: {
                size: { type: "integer", minimum: 0 },
                colour: { type: "string", enum: ["red", "green"], default: "red" },
                parts: { type: "array", items: { type: "object", properties: { name: { type: "string" } } } },
              },
            },
            status: { type: "object", properties: { size: { type: "integer" }, ready: { type: "boolean" } } },
          },
        },
      },
    }],
  },
};

function gizmo(spec: object) {
  return { apiVersion: "toys.example.com/v1", kind: "Gizmo", metadata: { name: "top" }, spec };
}

/** Definitions of custom resources and what they define. */
export const CUSTOM: Chapter = {
  name: "kubectl defines and uses custom resources",
  namespace: "toys",
  steps: [
    {
      run: "create -f -",
      input: DEFINITION,
      prints: "customresourcedefinition.apiextensions.k8s.io/gizmos.toys.example.com created",
    },
    {
      run: "wait --for=condition=Established crd/gizmos.toys.example.com --timeout=30s",
      prints: "customresourcedefinition.apiextensions.k8s.io/gizmos.toys.example.com condition met",
    },
    {
      run: "api-resources --api-group=toys.example.com",
      prints: /^gizmos +gz +toys\.example\.com\/v1 +true +Gizmo$/m,
      waits: true,
    },
    { run: "apply -f -", input: gizmo({ size: 3 }), prints: "gizmo.toys.example.com/top created", waits: true },
    { run: "apply -f -", input: gizmo({ size: 3 }), prints: "gizmo.toys.example.com/top unchanged" },
    {
      run: "apply -f -",
      input: gizmo({ size: 4, parts: [{ name: "wheel" }] }),
      prints: "gizmo.toys.example.com/top configured",
    },
    {
      run: "apply -f -",
      input: gizmo({ size: "big" }),
      exits: 1,
      prints: /spec\.size: Invalid value: "string": .*must be of type integer/,
    },
    {
      run: "apply -f -",
      input: gizmo({ size: 4, colour: "blue" }),
      exits: 1,
      prints: /spec\.colour: Unsupported value: "blue": supported values: "red", "green"/,
    },
    {
      run: "apply -f -",
      input: gizmo({ size: 4, weight: 1 }),
      exits: 1,
      prints: /unknown field "spec\.weight"/,
      differs: "the order of fields",
    },
    { run: "get gz", prints: /^NAME +SIZE +AGE\ntop +4 +\S+$/m },
    { run: "get gizmo top -o wide", prints: /^NAME +SIZE +COLOUR +AGE\ntop +4 +red +\S+$/m },
    { run: "get toys -o name", prints: "gizmo.toys.example.com/top" },
    {
      run: "get gizmos.v1.toys.example.com top -o jsonpath={.spec}",
      prints: '{"colour":"red","parts":[{"name":"wheel"}],"size":4}',
    },
    {
      run: "explain gizmo.spec",
      prints: [/^GROUP: +toys\.example\.com$/m, /^ {2}size\t<integer> -required-$/m, /^ {2}parts\t<\[\]Object>$/m],
      waits: true,
    },
    {
      run: "explain gz --recursive",
      prints: [/^ {4}colour\t<string>\n {4}enum: red, green$/m],
      differs: "no descriptions",
    },
    { run: "scale gizmo top --replicas=6", prints: "gizmo.toys.example.com/top scaled" },
    { run: "get gizmo top -o jsonpath={.spec.size}", prints: "6" },
    {
      run: `patch gizmo top --type=merge -p '{"spec":{"colour":"green"}}'`,
      prints: "gizmo.toys.example.com/top patched",
    },
    {
      run: `patch gizmo top --subresource=status --type=merge -p '{"status":{"size":5,"ready":true}}'`,
      prints: "gizmo.toys.example.com/top patched",
    },
    {
      run: `patch gizmo top -p '{"spec":{}}'`,
      exits: 1,
      prints: /strategic merge|application\/strategic-merge-patch\+json/,
    },
    {
      run: "wait --for=jsonpath={.status.ready}=true gizmo/top --timeout=10s",
      prints: "gizmo.toys.example.com/top condition met",
    },
    {
      run: "apply --server-side --force-conflicts -f -",
      input: gizmo({ size: 7 }),
      prints: "gizmo.toys.example.com/top serverside-applied",
    },
    { run: "label gizmo top a=b", prints: "gizmo.toys.example.com/top labeled" },
    { run: "edit gizmo top", env: { KUBE_EDITOR: "sed -i s/green/red/" }, prints: "gizmo.toys.example.com/top edited" },
    { run: "describe gizmo top", prints: [/^Name: +top$/m, /^ {2}Colour: +red$/m, /^ {2}Ready: +true$/m] },
    { run: "get crd gizmos.toys.example.com", prints: /^gizmos\.toys\.example\.com +\d{4}-\S+Z$/m },
    { run: "delete gizmo top", prints: 'gizmo.toys.example.com "top" deleted from toys namespace' },
    {
      run: "delete crd gizmos.toys.example.com --timeout=30s",
      prints: 'customresourcedefinition.apiextensions.k8s.io "gizmos.toys.example.com" deleted',
    },
    {
      run: "get gizmos",
      exits: 1,
      prints: /the server (doesn't have a resource type|could not find the requested resource)/,
      waits: true,
      differs: "how soon discovery forgets it",
    },
  ],
};
