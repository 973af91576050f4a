import { assertEquals, assertMatch } from "@std/assert";
import { readyHarness } from "./fixtures.ts";
import { type Answer, Harness, type Loose, MERGE } from "../harness.ts";

const REQUESTS = "/apis/certificates.k8s.io/v1/certificatesigningrequests";
const RBAC = "/apis/rbac.authorization.k8s.io/v1";

/** Asks for a certificate of the group `system:masters`. */
const MASTERS_REQUEST = [
  "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIaE1JR0lBZ0VBTUNZeEZ6QVZCZ05WQkFvTURuTjVjM1Js",
  "YlRwdFlYTjBaWEp6TVFzd0NRWURWUVFEREFKdApaVEJaTUJNR0J5cUdTTTQ5QWdFR0NDcUdTTTQ5QXdFSEEwSUFCUFRCTWNU",
  "QTFOMEd1YnRBM2dyb0EveDZPWURzCmIzazJWdGg4THpJZlRESjJIakZ4Y3VKd3RXU05WRUVnbkVLZnpGeFRVTy91bkdOTHpS",
  "eUdjNVcxL29TZ0FEQUsKQmdncWhrak9QUVFEQWdOSUFEQkZBaUVBeUs3VEpFdWJ1OFRuallTdkpXbjJHSXc2NXE2RXl2cTIv",
  "d2xPaVlrcwpiT1lDSUFTSFlIMFFvZkFTNm1IT0FGalNjUEQwTlRmQkVVL1B1OERWUnlMVkpvUWEKLS0tLS1FTkQgQ0VSVElG",
  "SUNBVEUgUkVRVUVTVC0tLS0tCg==",
].join("");

Deno.test("CertificateSubjectRestriction keeps administrators from being made by a certificate", async () => {
  using api = await readyHarness();
  const ask = (name: string, signerName: string) =>
    api.post(REQUESTS, { metadata: { name }, spec: { signerName, request: MASTERS_REQUEST, usages: ["client auth"] } });
  const { status, body } = await ask("a", "kubernetes.io/kube-apiserver-client");
  assertEquals(status, 403);
  assertMatch(
    body.message,
    /"a" is forbidden: use of kubernetes.io\/kube-apiserver-client signer with system:masters group is not allowed$/,
  );
  assertEquals((await ask("b", "example.com/own")).status, 201);
});

/** Lets a user write requests and what else the rule says. */
async function letUser(api: Harness, name: string, rule: Loose): Promise<void> {
  const writes = {
    apiGroups: ["certificates.k8s.io"],
    resources: ["certificatesigningrequests/approval", "certificatesigningrequests/status"],
    verbs: ["patch", "update"],
  };
  const signers = { apiGroups: ["certificates.k8s.io"], resources: ["signers"], ...rule };
  await api.post(`${RBAC}/clusterroles`, { metadata: { name }, rules: [writes, signers] });
  await api.post(`${RBAC}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { kind: "ClusterRole", name },
    subjects: [{ kind: "User", name }],
  });
}

const DECISIONS: readonly (readonly [what: string, rule: Loose, approves: boolean, signs: boolean])[] = [
  ["nothing for signers", { verbs: ["approve", "sign"], resourceNames: ["other.com/own"] }, false, false],
  ["to approve for the signer", { verbs: ["approve"], resourceNames: ["example.com/own"] }, true, false],
  ["to sign for the signer", { verbs: ["sign"], resourceNames: ["example.com/own"] }, false, true],
  ["both for the signer's domain", { verbs: ["approve", "sign"], resourceNames: ["example.com/*"] }, true, true],
];

for (const [what, rule, approves, signs] of DECISIONS) {
  Deno.test(`CertificateApproval and CertificateSigning let a user decide who may do ${what}`, async () => {
    using api = new Harness({ authorization: "RBAC" });
    const spec = { signerName: "example.com/own", request: MASTERS_REQUEST, usages: ["client auth"] };
    await api.post(REQUESTS, { metadata: { name: "a" }, spec });
    await letUser(api, "carol", rule);
    const condition = (...types: string[]) => ({
      status: { conditions: types.map((type) => ({ type, status: "True", reason: "R", message: "m" })) },
    });
    const change = (subresource: string, body: Loose): Promise<Answer> =>
      api.send("PATCH", `${REQUESTS}/a/${subresource}`, body, {
        contentType: MERGE,
        headers: { "impersonate-user": "carol" },
      });
    const refused = (verb: string) =>
      `certificatesigningrequests.certificates.k8s.io "a" is forbidden: user not permitted to ${verb} requests with ` +
      'signerName "example.com/own"';
    const approved = await change("approval", condition("Approved"));
    assertEquals(approved.body.message, approves ? undefined : refused("approve"));
    const failed = await change("status", condition(...approves ? ["Approved"] : [], "Failed"));
    assertEquals(failed.body.message, signs ? undefined : refused("sign"));
    assertEquals((await change("status", { metadata: { labels: { a: "b" } } })).status, 200);
  });
}
