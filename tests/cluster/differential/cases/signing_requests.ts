/** Requests for certificates that make no sense: their bodies, what they ask for, their status and who decides about them. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";
import { block, BROKEN_REQUESTS, certificate, GOOD, GOOD_DER, ODD_REQUESTS } from "../signing_bodies.ts";

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const AT = `${PATH}/{ns}-a`;

/** Who asks is called otherwise by each server. */
function byAnyone(probe: Probe): Probe {
  const fields = ["spec.username", "spec.uid", "spec.groups", "spec.extra"];
  return { ...probe, ignore: { fields, because: "each has users of its own" } };
}

const request = (spec: Fields = {}, more: Fields = {}) => ({
  metadata: { name: "{ns}-a" },
  spec: { request: btoa(GOOD), signerName: "a.b/c", usages: ["client auth"], ...spec },
  ...more,
});
/** Asked for without being stored. */
const tried = (spec: Fields, more: Fields = {}) => byAnyone(post(`${PATH}?dryRun=All`, request(spec, more)));
const create = byAnyone(post(PATH, request()));
const status = (body: Fields) => byAnyone(merge(`${AT}/status`, { status: body }));
const approval = (...conditions: Fields[]) => byAnyone(merge(`${AT}/approval`, { status: { conditions } }));
const condition = (type: string, more: Fields = {}) => ({ type, status: "True", reason: "r", message: "m", ...more });
const cleanup = [remove(AT)];

const CERTIFICATE = await certificate();
const OTHER = await certificate();
const CERTIFICATES: readonly string[] = [
  "hello",
  block(new Uint8Array(), "CERTIFICATE"),
  block(GOOD_DER, "CERTIFICATE"),
  GOOD,
  CERTIFICATE.replace("-----\n", "-----\nA: b\n\n"),
  CERTIFICATE + GOOD,
];

export const CASES: readonly DifferentialCase[] = [
  {
    name: "signing requests whose body is broken",
    probes: Object.values(BROKEN_REQUESTS).map((text) => tried({ request: btoa(text) })),
  },
  {
    name: "signing requests whose body is odd",
    probes: Object.values(ODD_REQUESTS).map((text) => tried({ request: btoa(text) })),
  },
  {
    name: "signing requests whose body is not even base64",
    probes: [
      ...[null, "", "!", "abc", "====", 1, {}].map((value) => tried({ request: value })),
      {
        ...tried({ request: [] }),
        differs: {
          in: ["status", "reason", "message", "details", "body"],
          because: "Go takes lists of numbers for bytes, too",
        },
      },
      post(`${PATH}?dryRun=All`, { metadata: { name: "{ns}-a" } }),
      post(`${PATH}?dryRun=All`, { metadata: { name: "{ns}-a" }, spec: {} }),
    ],
  },
  {
    name: "signing requests for usages that nobody knows",
    probes: [
      [],
      [""],
      ["any"],
      ["Client Auth"],
      ["client auth", "client auth"],
      ["client auth", "tea", "tea"],
      ["server auth", "cert sign", "crl sign", "netscape sgc"],
    ].map((usages) => tried({ usages })),
  },
  {
    name: "signing requests for signers and times that cannot be",
    probes: [
      ...[
        "",
        "a",
        "a/b",
        "a.b",
        "a.b/",
        "/a",
        "a.b/c/d",
        "A.b/c",
        "a..b/c",
        `${"a".repeat(64)}.b/c`,
        `${"a.".repeat(127)}bc/d`,
        `a.b/${"c".repeat(400)}`,
        "a.b/c d",
        "kubernetes.io/legacy-unknown",
        "kubernetes.io/nobody",
      ].map((signerName) => tried({ signerName })),
      ...[0, -1, 599, 600, 2 ** 31 - 1, 2 ** 31, 1.5, "600", null].map((expirationSeconds) =>
        tried({ expirationSeconds })
      ),
    ],
  },
  {
    name: "signing requests that say themselves who asks and what was decided",
    probes: [
      tried({ username: "root", uid: "0", groups: ["system:masters"], extra: { a: ["b"] } }),
      tried({}, { status: { conditions: [condition("Approved")], certificate: btoa(CERTIFICATE) } }),
      create,
      create,
      byAnyone(merge(AT, { spec: { signerName: "d.e/f", usages: [], request: "" }, metadata: { labels: { a: "b" } } })),
      byAnyone(merge(AT, { status: { conditions: [condition("Approved")] } })),
      merge(AT, { metadata: { labels: { "a b": "c" } } }),
      merge(AT, { spec: { usages: "x" } }),
    ],
    cleanup,
  },
  {
    name: "what signers say of requests",
    probes: [
      create,
      status({ conditions: [condition("Approved")] }),
      status({ conditions: [condition("", {})] }),
      status({ conditions: [condition("Foo", { status: "" })] }),
      status({ conditions: [condition("Foo", { status: "Maybe" })] }),
      status({ conditions: [condition("Failed", { status: "False" })] }),
      status({ conditions: [condition("Foo"), condition("Foo")] }),
      status({ conditions: [condition("Foo", { lastUpdateTime: "soon" })] }),
      status({ conditions: [condition("Failed")] }),
      status({ conditions: [] }),
      status({ conditions: [condition("Failed", { message: "changed" })] }),
    ],
    cleanup,
  },
  {
    name: "certificates that signers hand over",
    probes: [
      create,
      approval(condition("Approved")),
      status({ certificate: "!" }),
      ...CERTIFICATES.map((text) => status({ certificate: btoa(text) })),
      status({ certificate: btoa(`hello\n${CERTIFICATE}hello`) }),
      status({ certificate: btoa(OTHER) }),
      status({ certificate: null }),
      byAnyone(merge(`${AT}/approval`, { status: { certificate: btoa(OTHER) } })),
      byAnyone(merge(AT, { status: { certificate: btoa(OTHER) } })),
    ],
    cleanup,
  },
  {
    name: "decisions that contradict each other",
    probes: [
      create,
      approval(condition("Approved"), condition("Denied")),
      approval(condition("Denied", { status: "Unknown" })),
      approval(condition("Denied", { lastUpdateTime: null })),
      approval(condition("Denied"), condition("Approved")),
      approval(condition("Approved")),
      approval(condition("Denied", { message: "changed" })),
      approval(),
      approval(condition("Denied"), condition("Failed")),
      byAnyone(merge(`${AT}/approval`, { spec: { signerName: "x.y/z" } })),
    ],
    cleanup,
  },
];
