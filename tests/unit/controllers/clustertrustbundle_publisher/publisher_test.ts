import { assertEquals, assertRejects } from "@std/assert";
import {
  CLUSTERTRUSTBUNDLES,
  CLUSTERTRUSTBUNDLES_V1ALPHA1,
  type KubeObject,
  type Resource,
} from "../../../../src/api/mod.ts";
import { MemoryLogger } from "../../../../src/base/mod.ts";
import { StatusError } from "../../../../src/client/mod.ts";
import { publish } from "../../../../src/controllers/clustertrustbundle_publisher/actions.ts";
import { bundleName, publication, SIGNER } from "../../../../src/controllers/clustertrustbundle_publisher/bundle.ts";
import { servedVersion } from "../../../../src/controllers/clustertrustbundle_publisher/served_version.ts";

const TEXT = "fake-root-ca";
const NAME = "kubernetes.io:kube-apiserver-serving:44e531b7517f083233486af6";

const bundle = (name: string, trustBundle = TEXT) => ({
  metadata: { name, resourceVersion: "7" },
  spec: { signerName: SIGNER, trustBundle },
});

const failure = (code: number, reason: string) => new StatusError({ status: "Failure", code, reason, message: reason });

function rig(failures: Readonly<Record<string, Error>> = {}) {
  const calls: string[] = [];
  const did = (call: string) => {
    calls.push(call);
    return failures[call] ? Promise.reject(failures[call]) : Promise.resolve({});
  };
  const client = {
    create: (_: Resource, { metadata, spec }: KubeObject & { spec?: unknown }) =>
      did(`create ${metadata?.name} ${JSON.stringify(spec)}`),
    update: (_: Resource, { metadata, spec }: KubeObject & { spec?: unknown }) =>
      did(`update ${metadata?.name} at ${metadata?.resourceVersion} ${JSON.stringify(spec)}`),
    delete: (_: Resource, { name }: { readonly name: string }) => did(`delete ${name}`),
  } as unknown as Parameters<typeof publish>[1]["client"]; // it does nothing else
  return { calls, writing: { client, log: new MemoryLogger(), resource: CLUSTERTRUSTBUNDLES } };
}

const SPEC = JSON.stringify({ signerName: SIGNER, trustBundle: TEXT });
const ROWS = [
  ["creates it where there is none", [], [`create ${NAME} ${SPEC}`]],
  ["puts another text right", [bundle(NAME, "old")], [`update ${NAME} at 7 ${SPEC}`]],
  ["deletes another one", [bundle(NAME), bundle("b")], ["delete b"]],
  ["writes before it deletes", [bundle("b"), bundle(NAME, "old")], [`update ${NAME} at 7 ${SPEC}`, "delete b"]],
  ["creates before it deletes", [bundle("b")], [`create ${NAME} ${SPEC}`, "delete b"]],
  ["leaves what is right", [bundle(NAME)], []],
] as const;
for (const [what, present, expected] of ROWS) {
  Deno.test(`the publisher of trust bundles ${what}`, async () => {
    const { calls, writing } = rig();
    await publish(publication(present, { name: bundleName(TEXT), text: TEXT }), writing);
    assertEquals(calls, [...expected]);
  });
}

Deno.test("the publisher of trust bundles deletes all that it can, and fails with the last failure", async () => {
  const [gone, broken] = [failure(404, "NotFound"), failure(500, "InternalError")];
  const { calls, writing } = rig({ "delete a": broken, "delete b": gone });
  const present = [bundle(NAME), bundle("a"), bundle("b"), bundle("c")];
  const error = await assertRejects(() => publish(publication(present, { name: NAME, text: TEXT }), writing));
  assertEquals(error, broken);
  assertEquals(calls, ["delete a", "delete b", "delete c"]);
});

Deno.test("servedVersion takes the newest version that lists bundles", async () => {
  const discovery = (served: Readonly<Record<string, readonly string[]>>, other = failure(404, "NotFound")) => ({
    resourcesOf: ({ version }: { readonly version: string }) =>
      served[version]
        ? Promise.resolve(
          served[version].map((plural) => ({ ...CLUSTERTRUSTBUNDLES, plural, verbs: [], subresources: [] })),
        )
        : Promise.reject(other),
  });
  const both = { v1alpha1: ["clustertrustbundles"], v1beta1: ["clustertrustbundles"] };
  assertEquals(await servedVersion(discovery(both)), CLUSTERTRUSTBUNDLES);
  assertEquals(await servedVersion(discovery({ ...both, v1beta1: ["x"] })), CLUSTERTRUSTBUNDLES_V1ALPHA1);
  assertEquals(await servedVersion(discovery({ v1alpha1: both.v1alpha1 })), CLUSTERTRUSTBUNDLES_V1ALPHA1);
  assertEquals(await servedVersion(discovery({})), undefined);
  const error = await assertRejects(() => servedVersion(discovery({}, failure(500, "InternalError"))), Error);
  assertEquals(
    error.message.startsWith("discovery failed for ClusterTrustBundle: certificates.k8s.io/v1beta1: "),
    true,
  );
});
