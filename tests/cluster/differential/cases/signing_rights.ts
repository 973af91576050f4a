/** Who may decide about requests for certificates and sign them, and how requests are found. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";
import { certificate, GOOD } from "../signing_bodies.ts";

const RBAC = "/apis/rbac.authorization.k8s.io/v1";
const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const OWN = "{ns}.example.com/own";
const OTHER = "{ns}.example.com/other";

const as = (user: string): Probe["headers"] => ({ "impersonate-user": `{ns}-${user}` });
const setup = (probe: Probe): Probe => ({ ...probe, isSetup: true });

/** Who asks is called otherwise by each server. */
function byAnyone(probe: Probe): Probe {
  const fields = ["spec.username", "spec.uid", "spec.groups", "spec.extra"];
  return { ...probe, ignore: { fields, because: "each has users of its own" } };
}

/** Gives a user rights for requests, and `verb` for some signers. */
const rights = (user: string, verb: "approve" | "sign", signers: readonly string[]): readonly Probe[] => [
  setup(post(`${RBAC}/clusterroles`, {
    metadata: { name: `{ns}-${user}` },
    rules: [
      {
        apiGroups: ["certificates.k8s.io"],
        resources: [
          "certificatesigningrequests",
          "certificatesigningrequests/approval",
          "certificatesigningrequests/status",
        ],
        verbs: ["get", "list", "create", "update", "patch", "delete"],
      },
      { apiGroups: ["certificates.k8s.io"], resources: ["signers"], verbs: [verb], resourceNames: signers },
    ],
  })),
  setup(post(`${RBAC}/clusterrolebindings`, {
    metadata: { name: `{ns}-${user}` },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: `{ns}-${user}` },
    subjects: [{ kind: "User", apiGroup: "rbac.authorization.k8s.io", name: `{ns}-${user}` }],
  })),
  // kube-apiserver decides by what its caches have seen.
  setup({
    ...post("/apis/authorization.k8s.io/v1/subjectaccessreviews", {
      spec: {
        user: `{ns}-${user}`,
        resourceAttributes: { verb, group: "certificates.k8s.io", resource: "signers", name: signers[0] },
      },
    }),
    until: (body) => (body as { status: { allowed: boolean } }).status.allowed,
  }),
];

const withdrawn = (...users: readonly string[]) =>
  users.flatMap((user) => [
    remove(`${RBAC}/clusterrolebindings/{ns}-${user}`),
    remove(`${RBAC}/clusterroles/{ns}-${user}`),
  ]);

const create = (name: string, signerName: string, headers?: Probe["headers"]): Probe =>
  byAnyone(post(PATH, {
    metadata: { name: `{ns}-${name}` },
    spec: { request: btoa(GOOD), signerName, usages: ["client auth"] },
  }, { headers }));
const condition = (type: string) => ({ type, status: "True", reason: "r", message: "m" });
const decide = (name: string, type: string, user: string): Probe =>
  byAnyone(
    merge(`${PATH}/{ns}-${name}/approval`, { status: { conditions: [condition(type)] } }, { headers: as(user) }),
  );
const say = (name: string, status: Fields, user: string): Probe =>
  byAnyone(merge(`${PATH}/{ns}-${name}/status`, { status }, { headers: as(user) }));
const list = (fieldSelector: string): Probe =>
  byAnyone({ method: "GET", path: `${PATH}?fieldSelector=${encodeURIComponent(fieldSelector)}` });

const CERTIFICATE = btoa(await certificate());

export const CASES: readonly DifferentialCase[] = [
  {
    name: "who may approve for one signer, or for all of a domain",
    probes: [
      ...rights("one", "approve", [OWN]),
      ...rights("all", "approve", ["{ns}.example.com/*"]),
      ...rights("signs", "sign", [OWN]),
      create("a", OWN),
      create("b", OTHER),
      decide("a", "Approved", "nobody"),
      decide("a", "Approved", "signs"),
      decide("b", "Approved", "one"),
      decide("b", "Denied", "one"),
      decide("a", "Approved", "one"),
      decide("b", "Denied", "all"),
      decide("a", "Denied", "all"),
    ],
    cleanup: [remove(`${PATH}/{ns}-a`), remove(`${PATH}/{ns}-b`), ...withdrawn("one", "all", "signs")],
  },
  {
    name: "who may sign for one signer, or for all of a domain",
    probes: [
      ...rights("one", "sign", [OWN]),
      ...rights("all", "sign", ["{ns}.example.com/*"]),
      ...rights("decides", "approve", ["{ns}.example.com/*"]),
      create("a", OWN),
      create("b", OTHER),
      decide("a", "Approved", "decides"),
      decide("b", "Approved", "decides"),
      say("a", { certificate: CERTIFICATE }, "nobody"),
      say("a", { certificate: CERTIFICATE }, "decides"),
      say("b", { certificate: CERTIFICATE }, "one"),
      say("a", { certificate: CERTIFICATE }, "one"),
      say("b", { conditions: [condition("Approved"), condition("Failed")] }, "one"),
      say("b", { certificate: CERTIFICATE }, "all"),
    ],
    cleanup: [remove(`${PATH}/{ns}-a`), remove(`${PATH}/{ns}-b`), ...withdrawn("one", "all", "decides")],
  },
  {
    name: "requests found by their signers, and by what they cannot be found by",
    probes: [
      create("a", OWN),
      create("b", OTHER),
      list(`spec.signerName=${OWN}`),
      list(`spec.signerName=${OTHER},metadata.name={ns}-b`),
      list(`spec.signerName=${OTHER},metadata.name={ns}-a`),
      list("spec.username=x"),
      list("status.certificate="),
      { method: "GET", path: `${PATH}/{ns}-nobody` },
      { method: "GET", path: `${PATH}/{ns}-nobody/approval` },
      byAnyone({ method: "GET", path: `${PATH}/{ns}-a/approval` }),
      byAnyone({ method: "GET", path: `${PATH}/{ns}-a/status` }),
      { method: "POST", path: `${PATH}/{ns}-a/approval`, body: {} },
      remove(`${PATH}/{ns}-a/approval`),
    ],
    cleanup: [remove(`${PATH}/{ns}-a`), remove(`${PATH}/{ns}-b`)],
  },
  {
    name: "a request is made by who asks, whatever it says",
    probes: [
      ...rights("asks", "sign", [OWN]),
      { ...create("a", OWN, as("asks")), ignore: undefined },
      { ...create("a", OWN, as("asks")), ignore: undefined },
      { ...create("b", OWN, as("nobody")), ignore: undefined },
      { method: "GET", path: `${PATH}/{ns}-a` },
    ],
    cleanup: [remove(`${PATH}/{ns}-a`), ...withdrawn("asks")],
  },
];
