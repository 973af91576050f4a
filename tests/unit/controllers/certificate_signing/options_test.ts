import { assertEquals } from "@std/assert";
import { FILES, objections, pairsOf, type Paths } from "../../../../src/controllers/certificate_signing/options.ts";

const NONE = Object.fromEntries(Object.keys(FILES).map((name) => [name, ""])) as Paths;
const signersOf = (paths: Partial<Paths>) =>
  pairsOf({ ...NONE, ...paths })?.flatMap(({ signer, pair }) => pair ? [`${signer.flag} ${pair.cert}`] : []);

Deno.test("pairsOf gives all signers the cluster's pair, or some of them their own", () => {
  assertEquals(signersOf({}), undefined);
  assertEquals(signersOf({ cert: "a" }), undefined);
  assertEquals(signersOf({ key: "b" }), undefined);
  assertEquals(signersOf({ cert: "a", key: "b" }), [
    "kubelet-serving cert",
    "kubelet-client cert",
    "kube-apiserver-client cert",
    "legacy-unknown cert",
  ]);
  assertEquals(signersOf({ kubeletServingCert: "a", kubeletServingKey: "b" }), ["kubelet-serving kubeletServingCert"]);
});

Deno.test("objections names halves of pairs by upstream's labels, and pairs of both kinds", () => {
  const of = (paths: Partial<Paths>) => objections({ ...NONE, ...paths }).map((text) => text.split(": --")[0]);
  assertEquals(of({ cert: "a" }), []);
  assertEquals(of({ kubeletClientKey: "a" }), [
    '"cluster-signing-kube-apiserver-client": cannot specify key without cert',
  ]);
  assertEquals(of({ apiServerClientCert: "a" }), [
    '"cluster-signing-kube-apiserver": cannot specify cert without key',
  ]);
  assertEquals(of({ legacyUnknownCert: "a", legacyUnknownKey: "b", key: "c" }), [
    "cannot specify --cluster-signing-{cert,key}-file and other --cluster-signing-*-file flags at the same time",
  ]);
});
