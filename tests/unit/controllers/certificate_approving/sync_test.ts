import { assertEquals, assertRejects } from "@std/assert";
import type { CertificateSigningRequest, SubjectAccessReview } from "../../../../src/api/mod.ts";
import { NotAllowedError, syncApproval } from "../../../../src/controllers/certificate_approving/sync.ts";
import type { CertificateClient } from "../../../../src/controllers/certificates/mod.ts";
import { kubelet, type RequestParts, requestPem } from "../../../scenarios/request_pem.ts";
import { type ObjectParts, requestObject } from "../certificates/signing_rig.ts";

const SIGNER = "kubernetes.io/kube-apiserver-client-kubelet";

/** A client that grants some permissions, and says what it was asked. */
function clientThat({ allows = [], fails }: { readonly allows?: readonly string[]; readonly fails?: Error }) {
  const calls: string[] = [];
  const written: CertificateSigningRequest[] = [];
  const reviews: SubjectAccessReview[] = [];
  const client = {
    create: (_resource: unknown, review: SubjectAccessReview) => {
      if (fails) return Promise.reject(fails);
      reviews.push(review);
      const { subresource = "" } = review.spec.resourceAttributes!;
      calls.push(`may ${subresource}`);
      return Promise.resolve({ status: { allowed: allows.includes(subresource) } });
    },
    update: (_resource: unknown, object: CertificateSigningRequest, { subresource }: { subresource: string }) => {
      calls.push(`put ${subresource}`);
      written.push(object);
      return Promise.resolve(object);
    },
  } as unknown as CertificateClient; // it does nothing else
  return { client, calls, written, reviews };
}

const THREE = ["key encipherment", "digital signature", "client auth"];

async function object(parts: RequestParts = {}, more: Partial<ObjectParts> = {}): Promise<CertificateSigningRequest> {
  const pem = await requestPem({ subject: kubelet("foo"), ...parts });
  return requestObject({
    pem,
    signerName: SIGNER,
    usages: THREE,
    username: "system:node:foo",
    conditions: [],
    ...more,
  });
}

type Row = readonly [what: string, parts: RequestParts, more: Partial<ObjectParts>, tried: readonly string[]];
const BOTH = ["selfnodeclient", "nodeclient"];
const ROWS: readonly Row[] = [
  ["a node's own request", {}, {}, BOTH],
  ["one of CN mike", { subject: [["O", "system:nodes"], ["CN", "mike"]] }, {}, []],
  ["one without organization", { subject: [["CN", "system:node:foo"]] }, {}, []],
  ["one of masters", { subject: [["O", "system:master"], ["CN", "system:node:foo"]] }, {}, []],
  ["one that is for servers too", {}, { usages: [...THREE, "server auth"] }, []],
  ["one of another signer", {}, { signerName: "example.com/not-correct" }, []],
  ["one for serving", {}, { signerName: "kubernetes.io/kubelet-serving" }, []],
  ["one by joe", {}, { username: "joe" }, ["nodeclient"]],
  ["one for another node", { subject: kubelet("bar") }, {}, ["nodeclient"]],
  ["one by nobody", {}, { username: undefined }, ["nodeclient"]],
];
for (const [what, parts, more, tried] of ROWS) {
  for (const usages of [more.usages ?? THREE, (more.usages ?? THREE).filter((usage) => usage !== "key encipherment")]) {
    Deno.test(`syncApproval takes ${what} for ${tried}, ${usages.length} usages`, async () => {
      const { client, calls } = clientThat({});
      const request = await object(parts, { ...more, usages });
      if (tried.length === 0) await syncApproval(client, request);
      else {
        const error = await assertRejects(() => syncApproval(client, request), NotAllowedError);
        assertEquals(
          error.message,
          `recognized csr "r" as [${tried.join(" ")}] but subject access review was not approved`,
        );
      }
      assertEquals(calls, tried.map((subresource) => `may ${subresource}`));
    });
  }
}

Deno.test("syncApproval approves with the first permission that is granted", async () => {
  for (
    const [allows, calls, words] of [
      [BOTH, ["may selfnodeclient", "put approval"], "self kubelet client"],
      [["nodeclient"], ["may selfnodeclient", "may nodeclient", "put approval"], "kubelet client"],
    ] as const
  ) {
    const rig = clientThat({ allows });
    const extra = { a: ["b"] };
    const request = await object();
    Object.assign(request.spec!, { uid: "1", groups: ["g"], extra });
    await syncApproval(rig.client, request);
    assertEquals(rig.calls, calls);
    const message = `Auto approving ${words} certificate after SubjectAccessReview.`;
    assertEquals(rig.written[0].status!.conditions, [
      { type: "Approved", status: "True", reason: "AutoApproved", message },
    ]);
    assertEquals(rig.reviews[0].spec, {
      user: "system:node:foo",
      uid: "1",
      groups: ["g"],
      extra,
      resourceAttributes: {
        group: "certificates.k8s.io",
        version: "*",
        resource: "certificatesigningrequests",
        subresource: "selfnodeclient",
        verb: "create",
      },
    });
  }
});

Deno.test("syncApproval leaves alone what is decided", async () => {
  for (const type of ["Approved", "Denied"]) {
    const { client, calls } = clientThat({ allows: BOTH });
    await syncApproval(client, await object({}, { conditions: [{ type, status: "False" }] }));
    assertEquals(calls, []);
  }
});

Deno.test("syncApproval fails, to be tried again, if nobody says what is allowed, or the request cannot be read", async () => {
  const fails = new Error("no");
  assertEquals(
    await assertRejects(async () => await syncApproval(clientThat({ fails }).client, await object()), Error),
    fails,
  );
  const garbage = await object({}, { pem: "garbage" });
  await assertRejects(() => syncApproval(clientThat({}).client, garbage), Error, 'unable to parse csr "r"');
});
