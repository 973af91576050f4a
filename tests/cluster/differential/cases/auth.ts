import type { DifferentialCase, Probe } from "../probe.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const AUTHORIZATION = "/apis/authorization.k8s.io/v1";
const AUTHENTICATION = "/apis/authentication.k8s.io/v1";
const ACCOUNTS = "/api/v1/namespaces/{ns}/serviceaccounts";
const ISSUER = "https://kubernetes.default.svc.cluster.local";
const NOT_RECORDED = "nobody is recorded as the owner of what the embedded server makes itself";

const as = (user: string, group?: string): Readonly<Record<string, string>> => ({
  "impersonate-user": user,
  ...group === undefined ? {} : { "impersonate-group": group },
});
const get = (path: string, headers?: Probe["headers"]): Probe => ({ method: "GET", path, headers });
const post = (path: string, body: unknown, headers?: Probe["headers"]): Probe => ({
  method: "POST",
  path,
  body,
  headers,
});
const review = (kind: string, spec: unknown, headers?: Probe["headers"]): Probe =>
  post(`${AUTHORIZATION}/${kind}`, { spec }, headers);
const rulesOf = (user: string): Probe => ({
  ...review("selfsubjectrulesreviews", { namespace: "{ns}" }, as(user)),
  ignore: { fields: ["status.nonResourceRules"], because: "kube-apiserver lists bindings in no order" },
});
const subject = (user: string, resourceAttributes: object, more: object = {}): Probe =>
  review("subjectaccessreviews", { user, resourceAttributes, ...more });
const role = (name: string, rules: unknown, more: object = {}) => ({ metadata: { name }, rules, ...more });
const binding = (name: string, roleRef: object, subjects: readonly object[]) => ({
  metadata: { name },
  roleRef: { apiGroup: "rbac.authorization.k8s.io", ...roleRef },
  subjects,
});
const user = (name: string) => ({ kind: "User", apiGroup: "rbac.authorization.k8s.io", name });
const group = (name: string) => ({ kind: "Group", apiGroup: "rbac.authorization.k8s.io", name });
const setup = (probe: Probe): Probe => ({ ...probe, isSetup: true });

const ROLES = `${RBAC}/namespaces/{ns}/roles`;
const BINDINGS = `${RBAC}/namespaces/{ns}/rolebindings`;
const CLUSTER_ROLES = `${RBAC}/clusterroles`;
const CLUSTER_BINDINGS = `${RBAC}/clusterrolebindings`;
const CONFIG_MAPS = "/api/v1/namespaces/{ns}/configmaps";
/** kube-apiserver decides by what its caches have seen: waits until somebody may do something. */
const granted = (user: string, resourceAttributes: object): Probe =>
  setup({
    ...subject(user, resourceAttributes),
    until: (body) => (body as { status: { allowed: boolean } }).status.allowed,
  });
const READ_PODS = { apiGroups: [""], resources: ["pods"], verbs: ["get", "list"] };

const REVIEWS: DifferentialCase = {
  name: "access reviews answer, and refuse what is no question",
  probes: [
    subject("nobody", { verb: "get", resource: "pods" }),
    subject("system:kube-scheduler", { verb: "create", resource: "pods", subresource: "binding", namespace: "{ns}" }),
    subject("system:kube-scheduler", { verb: "watch", group: "storage.k8s.io", resource: "csinodes" }),
    subject("system:serviceaccount:kube-system:deployment-controller", {
      verb: "update",
      group: "apps",
      resource: "deployments",
      subresource: "status",
    }),
    review("subjectaccessreviews", {
      groups: ["system:masters"],
      resourceAttributes: { verb: "*", resource: "*" },
    }),
    review("subjectaccessreviews", {
      user: "u",
      groups: ["system:authenticated"],
      nonResourceAttributes: { path: "/openapi/v3/apis", verb: "get" },
    }),
    review("subjectaccessreviews", {
      user: "u",
      groups: ["system:unauthenticated"],
      nonResourceAttributes: { path: "/healthz/etcd", verb: "get" },
    }),
    review("subjectaccessreviews", { user: "u" }),
    review("subjectaccessreviews", { resourceAttributes: { verb: "get" } }),
    review("subjectaccessreviews", { user: "u", resourceAttributes: {}, nonResourceAttributes: {} }),
    post(`${AUTHORIZATION}/subjectaccessreviews`, {
      metadata: { name: "x" },
      spec: { user: "u", resourceAttributes: {} },
    }),
    subject("u", { verb: "list", fieldSelector: { rawSelector: "a=b", requirements: [{ key: "a", operator: "In" }] } }),
    subject("u", { verb: "list", labelSelector: {} }),
    subject("u", { verb: "list", resource: "pods", labelSelector: { rawSelector: "a in (" } }),
    subject("u", { verb: "list", resource: "pods", fieldSelector: { rawSelector: "spec.nodeName" } }),
    review("selfsubjectaccessreviews", { resourceAttributes: { verb: "get", resource: "pods" } }, as("u")),
    review("selfsubjectaccessreviews", { nonResourceAttributes: { path: "/openapi/v3", verb: "get" } }, as("u")),
    review("selfsubjectaccessreviews", { resourceAttributes: { verb: "get", resource: "pods" } }),
    review("selfsubjectaccessreviews", {}),
    rulesOf("u"),
    review("selfsubjectrulesreviews", {}),
    review("namespaces/{ns}/localsubjectaccessreviews", {
      user: "u",
      resourceAttributes: { verb: "get", resource: "pods", namespace: "{ns}" },
    }),
    review("namespaces/{ns}/localsubjectaccessreviews", {
      user: "u",
      resourceAttributes: { verb: "get", resource: "pods", namespace: "other" },
    }),
    review("namespaces/{ns}/localsubjectaccessreviews", {
      user: "u",
      nonResourceAttributes: { path: "/", verb: "get" },
    }),
    get(`${AUTHORIZATION}/subjectaccessreviews`),
    { method: "POST", path: `${AUTHORIZATION}/subjectaccessreviews`, body: "{" },
  ],
};

const DECISIONS: DifferentialCase = {
  name: "roles and bindings decide",
  probes: [
    post(
      ROLES,
      role("reader", [READ_PODS, { apiGroups: [""], resources: ["configmaps"], verbs: ["get"], resourceNames: ["a"] }]),
    ),
    post(BINDINGS, binding("readers", { kind: "Role", name: "reader" }, [user("jane"), group("team")])),
    post(CLUSTER_ROLES, role("{ns}-scale", [{ apiGroups: ["*"], resources: ["*/scale"], verbs: ["*"] }])),
    post(
      BINDINGS,
      binding("scalers", { kind: "ClusterRole", name: "{ns}-scale" }, [
        { kind: "ServiceAccount", name: "default", namespace: "{ns}" },
      ]),
    ),
    post(CLUSTER_ROLES, role("{ns}-paths", [{ nonResourceURLs: ["/logs*"], verbs: ["get"] }])),
    post(CLUSTER_BINDINGS, binding("{ns}-paths", { kind: "ClusterRole", name: "{ns}-paths" }, [user("jane-{ns}")])),
    post(BINDINGS, binding("dangling", { kind: "ClusterRole", name: "{ns}-none" }, [user("joe")])),
    setup(post(CONFIG_MAPS, { metadata: { name: "a" } })),
    granted("jane", { verb: "list", resource: "pods", namespace: "{ns}" }),
    granted("system:serviceaccount:{ns}:default", {
      verb: "get",
      group: "apps",
      resource: "deployments",
      subresource: "scale",
      namespace: "{ns}",
    }),
    setup({
      ...subject("joe", { verb: "get", resource: "pods", namespace: "{ns}" }),
      until: (body) => (body as { status: { reason?: string } }).status.reason !== undefined,
    }),
    get("/api/v1/namespaces/{ns}/pods", as("jane")),
    get("/api/v1/namespaces/{ns}/pods", as("x", "team")),
    get("/api/v1/namespaces/{ns}/pods?watch=true", as("jane")),
    get("/api/v1/pods", as("jane")),
    get(`${CONFIG_MAPS}/a`, as("jane")),
    get(`${CONFIG_MAPS}/b`, as("jane")),
    get(CONFIG_MAPS, as("jane")),
    post(CONFIG_MAPS, { metadata: { name: "c" } }, as("jane")),
    { method: "DELETE", path: CONFIG_MAPS, headers: as("jane") },
    { method: "PATCH", path: `${CONFIG_MAPS}/a`, body: {}, type: "application/merge-patch+json", headers: as("jane") },
    { method: "PUT", path: `${CONFIG_MAPS}/a`, body: {}, headers: as("jane") },
    get("/apis/apps/v1/namespaces/{ns}/deployments/none/scale", as("system:serviceaccount:{ns}:default")),
    get("/apis/apps/v1/namespaces/{ns}/deployments/none", as("system:serviceaccount:{ns}:default")),
    subject("system:serviceaccount:{ns}:default", {
      verb: "patch",
      group: "apps",
      resource: "deployments",
      subresource: "scale",
      namespace: "{ns}",
    }),
    subject("jane", { verb: "get", resource: "configmaps", name: "a", namespace: "{ns}" }),
    subject("jane", { verb: "get", resource: "configmaps", namespace: "{ns}" }),
    subject("joe", { verb: "get", resource: "pods", namespace: "{ns}" }),
    {
      ...review("subjectaccessreviews", { user: "jane-{ns}", nonResourceAttributes: { path: "/logs/a", verb: "get" } }),
      until: (body) => (body as { status: { allowed: boolean } }).status.allowed,
    },
    review("subjectaccessreviews", { user: "jane-{ns}", nonResourceAttributes: { path: "/log", verb: "get" } }),
    rulesOf("jane"),
    rulesOf("joe"),
    { method: "DELETE", path: `${BINDINGS}/readers` },
    {
      ...get("/api/v1/namespaces/{ns}/pods", as("jane")),
      until: (body) => (body as { kind: string }).kind === "Status",
    },
  ],
  cleanup: [
    { method: "DELETE", path: `${CLUSTER_BINDINGS}/{ns}-paths` },
    { method: "DELETE", path: `${CLUSTER_ROLES}/{ns}-paths` },
    { method: "DELETE", path: `${CLUSTER_ROLES}/{ns}-scale` },
  ],
};

const REFUSALS: DifferentialCase = {
  name: "what is not allowed is refused, whether it exists or not",
  probes: [
    get("/api/v1/namespaces/{ns}", as("u")),
    get("/api/v1/namespaces/none", as("u")),
    get("/api/v1/namespaces", as("u")),
    get("/api/v1/nodes/n/status", as("u")),
    get("/api/v1/namespaces/{ns}/pods/p/log", as("u")),
    get("/apis/apps/v1/namespaces/{ns}/deployments?fieldSelector=metadata.name%3Dd", as("u")),
    get("/apis/apps/v1/watch/deployments", as("u")),
    get("/apis/none.example.com/v1/things", as("u")),
    get("/api/v1/nothings/x", as("u")),
    get("/apis/apps/v1", as("u")),
    get("/apis/none.example.com/v1", as("u")),
    get("/healthz", as("system:anonymous")),
    get("/api", as("system:anonymous")),
    get("/", as("u")),
    get("/metrics", as("u")),
    get("/logs/<b>&", as("u")),
    post("/api/v1/namespaces/{ns}/pods/p/eviction", {}, as("u")),
    post("/api/v1/namespaces/{ns}/bindings", {}, as("u")),
    { method: "DELETE", path: "/api/v1/nodes", headers: as("u") },
    { method: "HEAD", path: "/api/v1/nodes", headers: as("u") },
    { method: "PUT", path: "/api/v1/namespaces/{ns}/finalize", body: {}, headers: as("u") },
    post(`${AUTHORIZATION}/subjectaccessreviews`, { spec: {} }, as("u")),
    get("/api/v1/pods", as("system:anonymous")),
  ],
};

const ESCALATION: DifferentialCase = {
  name: "nobody gives away what they do not have",
  probes: [
    setup(post(
      ROLES,
      role("roles", [
        READ_PODS,
        {
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["roles", "rolebindings"],
          verbs: ["create", "update", "patch", "get"],
        },
        {
          apiGroups: ["rbac.authorization.k8s.io"],
          resources: ["clusterroles"],
          resourceNames: ["view"],
          verbs: ["bind"],
        },
      ]),
    )),
    setup(post(BINDINGS, binding("roles", { kind: "Role", name: "roles" }, [user("ann")]))),
    granted("ann", { verb: "list", resource: "pods", namespace: "{ns}" }),
    post(ROLES, role("a", [{ ...READ_PODS, verbs: ["get"] }]), as("ann")),
    post(ROLES, role("b", [{ ...READ_PODS, verbs: ["get", "delete", "watch"] }]), as("ann")),
    post(
      ROLES,
      role("c", [{ apiGroups: ["", "apps"], resources: ["pods", "deployments/scale"], verbs: ["get"] }]),
      as("ann"),
    ),
    post(ROLES, role("d", [{ ...READ_PODS, resourceNames: ["x"] }]), as("ann")),
    post(ROLES, role("e", [{ apiGroups: ["*"], resources: ["*"], verbs: ["*"] }]), as("ann", "g1")),
    {
      method: "PUT",
      path: `${ROLES}/a`,
      body: role("a", [{ ...READ_PODS, verbs: ["deletecollection"] }]),
      headers: as("ann"),
    },
    {
      method: "PATCH",
      path: `${ROLES}/a`,
      type: "application/merge-patch+json",
      body: { metadata: { labels: { a: "b" } } },
      headers: as("ann"),
    },
    post(BINDINGS, binding("b1", { kind: "Role", name: "a" }, [user("bob")]), as("ann")),
    post(BINDINGS, binding("b2", { kind: "ClusterRole", name: "view" }, [user("bob")]), as("ann")),
    post(BINDINGS, binding("b3", { kind: "ClusterRole", name: "system:node-proxier" }, [user("bob")]), as("ann")),
    post(BINDINGS, binding("b4", { kind: "ClusterRole", name: "cluster-admin" }, [user("bob")]), as("ann")),
    post(BINDINGS, binding("b5", { kind: "Role", name: "none" }, [user("bob")]), as("ann")),
    post(BINDINGS, binding("b6", { kind: "ClusterRole", name: "none-{ns}" }, [user("bob")]), as("ann")),
    post(CLUSTER_ROLES, role("{ns}-x", []), as("ann")),
    setup(post(
      CLUSTER_ROLES,
      role("{ns}-writer", [
        { apiGroups: ["rbac.authorization.k8s.io"], resources: ["clusterroles"], verbs: ["create"] },
      ]),
    )),
    setup(
      post(CLUSTER_BINDINGS, binding("{ns}-writer", { kind: "ClusterRole", name: "{ns}-writer" }, [user("eve-{ns}")])),
    ),
    granted("eve-{ns}", { verb: "create", group: "rbac.authorization.k8s.io", resource: "clusterroles" }),
    post(CLUSTER_ROLES, role("{ns}-y", [{ nonResourceURLs: ["/logs", "/x/*"], verbs: ["get"] }]), as("eve-{ns}")),
    post(
      CLUSTER_ROLES,
      role("{ns}-z", [], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { a: "b" } }] } }),
      as("eve-{ns}"),
    ),
  ],
  cleanup: [
    { method: "DELETE", path: `${CLUSTER_BINDINGS}/{ns}-writer` },
    { method: "DELETE", path: `${CLUSTER_ROLES}/{ns}-writer` },
  ],
};

const own = (token: string, more: object = {}): Probe =>
  post(`${AUTHENTICATION}/tokenreviews`, { spec: { token, ...more } });
const request = (spec: object, metadata?: object): Probe => ({
  ...post(`${ACCOUNTS}/default/token`, { ...metadata ? { metadata } : {}, spec }),
  ignore: {
    fields: ["metadata.managedFields"],
    because: "a token request is stored by neither, and owned by nobody here",
  },
});

const TOKENS: DifferentialCase = {
  name: "tokens are issued, checked and refused",
  probes: [
    { ...request({}), save: "plain" },
    { ...request({ expirationSeconds: 700, audiences: ["a", "b"] }), save: "foreign" },
    request({ expirationSeconds: 599 }),
    request({ expirationSeconds: 4294967297 }),
    request({}, { name: "other" }),
    request({}, { namespace: "other" }),
    request({}, { uid: "other" }),
    request({ boundObjectRef: { kind: "Node", apiVersion: "v1", name: "none" } }),
    request({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "none" } }),
    request({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "none" } }),
    request({ boundObjectRef: { kind: "ConfigMap", apiVersion: "v1", name: "none" } }),
    request({ boundObjectRef: { kind: "Deployment", apiVersion: "apps/v1", name: "none" } }),
    post(`${ACCOUNTS}/none/token`, { spec: {} }),
    get(`${ACCOUNTS}/default/token`),
    setup(post("/api/v1/namespaces/{ns}/secrets", { metadata: { name: "s" } })),
    request({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s", uid: "other" } }),
    { ...request({ boundObjectRef: { kind: "Secret", apiVersion: "v1", name: "s" } }), save: "bound" },
    setup(post(ACCOUNTS, { metadata: { name: "other" } })),
    setup(
      post("/api/v1/namespaces/{ns}/pods", {
        metadata: { name: "p" },
        spec: { containers: [{ name: "c", image: "i" }] },
      }),
    ),
    {
      ...request({ boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" }, expirationSeconds: 3607 }),
      save: "pod",
    },
    { ...post(`${ACCOUNTS}/other/token`, { spec: { boundObjectRef: { kind: "Pod", apiVersion: "v1", name: "p" } } }) },
    own("{plain.status.token}"),
    own("{plain.status.token}", { audiences: ["x"] }),
    own("{plain.status.token}", { audiences: ["x", ISSUER] }),
    own("{foreign.status.token}"),
    own("{foreign.status.token}", { audiences: ["b"] }),
    own("{plain.status.token}x"),
    own("{pod.status.token}"),
    own("{bound.status.token}"),
    own("nonsense"),
    own("a.b.c"),
    own(""),
    setup({ method: "DELETE", path: "/api/v1/namespaces/{ns}/secrets/s" }),
    {
      ...own("{bound.status.token}"),
      until: (body) => (body as { status: { authenticated?: boolean } }).status.authenticated !== true,
    },
  ],
};

const IMPERSONATION: DifferentialCase = {
  name: "acting as somebody else has to be allowed",
  probes: [
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as("u")),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as("u", "g1")),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as("system:serviceaccount:{ns}:default")),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, {
      ...as("u"),
      "impersonate-uid": "1",
      "impersonate-extra-a%2fb": "c",
    }),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as("u", "system:masters")),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, as("system:anonymous")),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, { "impersonate-group": "g" }),
    post(`${AUTHENTICATION}/selfsubjectreviews`, {}, { "impersonate-uid": "g" }),
    post(`${AUTHENTICATION}/selfsubjectreviews`, { metadata: { name: "x" } }, as("u")),
  ],
};

const sharedRoles = "labelSelector=kubernetes.io/bootstrapping%3Drbac-defaults";
const notAggregated = "fieldSelector=metadata.name!%3Dadmin,metadata.name!%3Dedit,metadata.name!%3Dview";
const listed = (path: string): Probe => ({
  ...get(path),
  ignore: { fields: ["items.*.metadata.managedFields"], because: NOT_RECORDED },
});

const BOOTSTRAP: DifferentialCase = {
  name: "every cluster has the same roles, bindings and flow schemas",
  probes: [
    listed(`${CLUSTER_ROLES}?${sharedRoles}&${notAggregated}`),
    listed(`${CLUSTER_BINDINGS}?${sharedRoles}`),
    listed(`${RBAC}/roles?${sharedRoles}`),
    listed(`${RBAC}/rolebindings?${sharedRoles}`),
    listed("/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas"),
    listed("/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations"),
    listed("/apis/networking.k8s.io/v1/servicecidrs?fieldSelector=metadata.name%3Dkubernetes"),
    listed("/apis/scheduling.k8s.io/v1/priorityclasses?fieldSelector=metadata.name%3Dsystem-node-critical"),
    {
      ...get("/api/v1/namespaces/default/services/kubernetes"),
      ignore: {
        fields: ["metadata.managedFields", "spec.ports.0.targetPort"],
        because: `${NOT_RECORDED}, and it listens elsewhere`,
      },
    },
    { ...get("/api/v1/namespaces/kube-system"), ignore: { fields: ["metadata.managedFields"], because: NOT_RECORDED } },
  ],
};

export const CASES: readonly DifferentialCase[] = [
  REVIEWS,
  DECISIONS,
  REFUSALS,
  ESCALATION,
  TOKENS,
  IMPERSONATION,
  BOOTSTRAP,
];
