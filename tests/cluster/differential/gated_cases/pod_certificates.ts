/** Requests for pods' certificates and bundles of trust anchors: what is refused of them, and what is said of it. */
import type { DifferentialCase, Probe } from "../probe.ts";
import { type Fields, merge, post, remove } from "../requests.ts";
import { answered, base64, block, BROKEN_REQUESTS, certificate, GOOD_DER, stubRequest } from "../signing_bodies.ts";

const GROUP = "/apis/certificates.k8s.io/v1beta1";
const BUNDLES = `${GROUP}/clustertrustbundles`;
const REQUESTS = `${GROUP}/namespaces/{ns}/podcertificaterequests`;
const AT = `${REQUESTS}/a`;

const typed = (kind: string) => ({ apiVersion: "certificates.k8s.io/v1beta1", kind });
const ANCHOR = await certificate({ isAuthority: true });
const OTHER_ANCHOR = await certificate({ isAuthority: true, name: "y" });
const LEAF = await certificate({ isAuthority: false });
const SILENT = await certificate();
const bundle = (trustBundle: unknown, { name = "{ns}", ...spec }: Fields = {}) => ({
  ...typed("ClusterTrustBundle"),
  metadata: { name },
  spec: { trustBundle, ...spec },
});
const tried = (trustBundle: unknown, more: Fields = {}) => post(`${BUNDLES}?dryRun=All`, bundle(trustBundle, more));

const P256 = await stubRequest("P-256");
const spec = (more: Fields = {}) => ({
  signerName: "example.com/s",
  podName: "p",
  podUID: "u",
  serviceAccountName: "default",
  serviceAccountUID: "v",
  nodeName: "n",
  nodeUID: "w",
  maxExpirationSeconds: 86_400,
  stubPKCS10Request: P256,
  ...more,
});
const untold = { ...typed("PodCertificateRequest"), metadata: { name: "a" } };
const request = (more: Fields = {}) => ({ ...untold, spec: spec(more) });
/** A request in an answer, without its keys that are not there. */
const withoutKeys = (probe: Probe): Probe => ({
  ...probe,
  ignore: {
    fields: ["spec.pkixPublicKey", "spec.proofOfPossession"],
    because: "Go tells no bytes from an absent field",
  },
});
/** Asked for without being stored. */
const asked = (more: Fields) => withoutKeys(post(`${REQUESTS}?dryRun=All`, request(more)));
const create = withoutKeys(post(REQUESTS, request()));
const status = (body: Fields): Probe => withoutKeys(merge(`${AT}/status`, { status: body }));
const condition = (type: string, more: Fields = {}) => ({
  type,
  status: "True",
  reason: "R",
  message: "m",
  lastTransitionTime: "2026-01-01T00:00:00Z",
  ...more,
});
const issued = (more: Fields) => status({ conditions: [condition("Issued")], ...more });
const SOON = "2026-01-01T01:00:00Z";
const ANSWERED = await answered();
const { notBefore } = ANSWERED;
const [notAfter, beginRefreshAt] = [ANSWERED.after(120), ANSWERED.after(60)];
const RIGHT = { certificateChain: await ANSWERED.certificate(2), notBefore, notAfter, beginRefreshAt };

export const CASES: readonly DifferentialCase[] = [
  {
    name: "bundles of trust anchors that are none",
    probes: [
      ...[
        "",
        "hello",
        block(new Uint8Array(), "CERTIFICATE"),
        block(GOOD_DER),
        block(GOOD_DER, "CERTIFICATE"),
        LEAF,
        SILENT,
        ANCHOR.replace("-----\n", "-----\nA: b\n\n"),
        ANCHOR + ANCHOR,
        ANCHOR + OTHER_ANCHOR + ANCHOR,
        ANCHOR + LEAF + block(GOOD_DER),
        `hello\n${ANCHOR}hello`,
        ANCHOR + OTHER_ANCHOR,
      ].map((text) => tried(text)),
      tried(null),
      tried(1),
      tried("x".repeat(1024 * 1024 + 1)),
    ],
  },
  {
    name: "bundles whose names do not say for whom they are",
    probes: [
      tried(ANCHOR, { name: "{ns}:a" }),
      tried(ANCHOR, { name: "{ns}:a", signerName: "a.b/c" }),
      tried(ANCHOR, { name: "a.b:c:{ns}", signerName: "a.b/c" }),
      tried(ANCHOR, { name: "a.b:c:", signerName: "a.b/c" }),
      tried(ANCHOR, { name: "a.b:c:X y", signerName: "a.b/c" }),
      tried(ANCHOR, { name: "a.b:c", signerName: "a.b/c" }),
      tried(ANCHOR, { name: "a:{ns}", signerName: "a" }),
      tried(ANCHOR, { name: "A.b:c:{ns}", signerName: "A.b/c" }),
    ],
  },
  {
    name: "bundles that change",
    probes: [
      post(BUNDLES, bundle(ANCHOR)),
      merge(`${BUNDLES}/{ns}`, { spec: { trustBundle: ANCHOR + OTHER_ANCHOR } }),
      merge(`${BUNDLES}/{ns}`, { spec: { trustBundle: LEAF } }),
      merge(`${BUNDLES}/{ns}`, { spec: { signerName: "a.b/c" } }),
      merge(`${BUNDLES}/{ns}`, { metadata: { labels: { a: "b" } } }),
    ],
    cleanup: [remove(`${BUNDLES}/{ns}`)],
  },
  {
    name: "pods' requests that lack something or name nonsense",
    probes: [
      post(`${REQUESTS}?dryRun=All`, untold),
      post(`${REQUESTS}?dryRun=All`, { ...untold, spec: {} }),
      ...[
        { signerName: "" },
        { signerName: "a" },
        { signerName: "a.b/c d" },
        { podName: "P p" },
        { podUID: "" },
        { podUID: "u".repeat(129) },
        { serviceAccountName: "" },
        { serviceAccountUID: "u".repeat(129) },
        { nodeName: "N n" },
        { nodeUID: "" },
        { maxExpirationSeconds: null },
        { maxExpirationSeconds: 3599 },
        { maxExpirationSeconds: 91 * 86_400 + 1 },
        { maxExpirationSeconds: 86_401, signerName: "kubernetes.io/s" },
        { maxExpirationSeconds: 86_400, signerName: "x.kubernetes.io/s" },
        { unverifiedUserAnnotations: { "a b": "c" } },
        { unverifiedUserAnnotations: { "a.b/c": "d" } },
        { unverifiedUserAnnotations: { a: "b" } },
      ].map(asked),
    ],
  },
  {
    name: "pods' requests whose key is none, too weak, or not theirs",
    probes: [
      ...["", "hello", ...Object.values(BROKEN_REQUESTS).slice(0, 3)].map((text) =>
        asked({ stubPKCS10Request: btoa(text) })
      ),
      asked({ stubPKCS10Request: base64(GOOD_DER.slice(0, 60)) }),
      asked({ stubPKCS10Request: base64(GOOD_DER.map((byte, i) => i === GOOD_DER.length - 3 ? byte ^ 1 : byte)) }),
      asked({ stubPKCS10Request: "!" }),
      asked({ stubPKCS10Request: btoa("x".repeat(10_241)) }),
      asked({ stubPKCS10Request: await stubRequest("P-521") }),
      asked({ stubPKCS10Request: await stubRequest("Ed25519") }),
      asked({ stubPKCS10Request: await stubRequest(2048) }),
      asked({ stubPKCS10Request: await stubRequest(3072) }),
      asked({ pkixPublicKey: btoa("x"), proofOfPossession: btoa("y") }),
      asked({ stubPKCS10Request: null, pkixPublicKey: btoa("x") }),
      asked({ stubPKCS10Request: null, pkixPublicKey: btoa("x"), proofOfPossession: btoa("y") }),
      asked({ stubPKCS10Request: null, pkixPublicKey: btoa("x".repeat(10_241)), proofOfPossession: btoa("y") }),
    ],
  },
  {
    name: "pods' requests that change, and are denied",
    probes: [
      create,
      merge(AT, { spec: { podName: "q" } }),
      withoutKeys(merge(AT, { metadata: { labels: { a: "b" } } })),
      withoutKeys(merge(AT, { status: { conditions: [condition("Denied")] } })),
      status({ conditions: [condition("Foo")] }),
      status({ conditions: [condition("Denied"), condition("Failed")] }),
      status({ conditions: [condition("Denied", { status: "False" })] }),
      status({ conditions: [condition("Denied", { reason: "" })] }),
      status({ certificateChain: LEAF }),
      status({ notBefore: SOON }),
      status({ conditions: [condition("Denied")], certificateChain: LEAF }),
      withoutKeys(merge(`${AT}/status`, { metadata: { labels: { c: "d" } }, spec: { podName: "q" } })),
      status({ conditions: [condition("Denied")] }),
      status({ conditions: [condition("Denied", { message: "changed" })] }),
      status({ conditions: [] }),
    ],
  },
  {
    name: "pods' requests that are answered with no certificate of theirs",
    probes: [
      create,
      issued({}),
      issued({ certificateChain: "hello" }),
      issued({ certificateChain: block(GOOD_DER) }),
      issued({ certificateChain: block(GOOD_DER, "CERTIFICATE") }),
      issued({ certificateChain: LEAF }),
      issued({ certificateChain: LEAF, notBefore: SOON, notAfter: SOON, beginRefreshAt: SOON }),
      issued({ certificateChain: "x".repeat(102_401) }),
    ],
  },
  {
    name: "pods' requests that are answered with their certificate, at odd times",
    probes: [
      withoutKeys(post(REQUESTS, request({ stubPKCS10Request: ANSWERED.request }))),
      issued({ ...RIGHT, notBefore: ANSWERED.after(1) }),
      issued({ ...RIGHT, notAfter: ANSWERED.after(121) }),
      issued({ ...RIGHT, beginRefreshAt: null }),
      issued({ ...RIGHT, beginRefreshAt: ANSWERED.after(9) }),
      issued({ ...RIGHT, beginRefreshAt: ANSWERED.after(111) }),
      issued({ ...RIGHT, certificateChain: await ANSWERED.certificate(0.5), notAfter: ANSWERED.after(30) }),
      issued({ ...RIGHT, certificateChain: await ANSWERED.certificate(25), notAfter: ANSWERED.after(25 * 60) }),
      issued({ ...RIGHT, certificateChain: await ANSWERED.certificate(2, ["a..b", ".c"]) }),
      issued({ ...RIGHT, certificateChain: RIGHT.certificateChain + block(GOOD_DER) }),
      issued({ ...RIGHT, certificateChain: RIGHT.certificateChain + block(GOOD_DER, "CERTIFICATE") }),
      issued({ ...RIGHT, certificateChain: RIGHT.certificateChain + ANCHOR }),
      issued({ ...RIGHT, certificateChain: RIGHT.certificateChain }),
    ],
  },
];
