/** A machine joins a real cluster as kubelets do, with nothing but openssl, curl and a bootstrap token. */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS } from "../../src/api/mod.ts";
import { startManager } from "../controlplane/manager.ts";
import { eventually } from "../controlplane/process.ts";
import { runProgram } from "../controlplane/run_program.ts";
import { authorityFile, makeSigningAuthorities, openssl, SIGNING_FLAGS } from "../controlplane/signing_authorities.ts";
import { Cluster, clusterTest } from "./cluster.ts";

const [TOKEN_ID, TOKEN_SECRET] = ["abcdef", "0123456789abcdef"];

function binding(name: string, role: string, group: string) {
  return {
    apiVersion: "rbac.authorization.k8s.io/v1",
    kind: "ClusterRoleBinding",
    metadata: { name },
    roleRef: { apiGroup: "rbac.authorization.k8s.io", kind: "ClusterRole", name: role },
    subjects: [{ apiGroup: "rbac.authorization.k8s.io", kind: "Group", name: group }],
  };
}

/** What kubeadm makes so that machines can join. */
const JOINING = [
  {
    apiVersion: "v1",
    kind: "Secret",
    metadata: { name: `bootstrap-token-${TOKEN_ID}`, namespace: "kube-system" },
    type: "bootstrap.kubernetes.io/token",
    stringData: {
      "token-id": TOKEN_ID,
      "token-secret": TOKEN_SECRET,
      "usage-bootstrap-authentication": "true",
      "auth-extra-groups": "system:bootstrappers:machines",
    },
  },
  binding("bootstrap", "system:node-bootstrapper", "system:bootstrappers:machines"),
  binding(
    "approve-first",
    "system:certificates.k8s.io:certificatesigningrequests:nodeclient",
    "system:bootstrappers:machines",
  ),
  binding("approve-next", "system:certificates.k8s.io:certificatesigningrequests:selfnodeclient", "system:nodes"),
];

/** Asks kube-apiserver by curl. */
async function curl(cluster: Cluster, path: string, args: readonly string[], input?: string): Promise<string> {
  const { plane } = cluster;
  const { stdout, stderr, code } = await runProgram("curl", {
    args: ["-sS", "--cacert", plane.rootCaFile, ...args, ...input ? ["--data-binary", "@-"] : [], plane.server + path],
    input,
  });
  assertEquals(code, 0, stderr);
  return stdout;
}

const PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

/** Sends a request as whoever `args` make the caller, and gives the certificate once it is there. */
async function requested(
  cluster: Cluster,
  { name, csr, args }: { readonly name: string; readonly csr: string; readonly args: readonly string[] },
): Promise<CertificateSigningRequest> {
  const request: CertificateSigningRequest = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name },
    spec: {
      request: btoa(csr),
      signerName: "kubernetes.io/kube-apiserver-client-kubelet",
      usages: ["digital signature", "client auth"],
    },
  };
  const answer = await curl(cluster, PATH, [...args, "-H", "Content-Type: application/json"], JSON.stringify(request));
  assertStringIncludes(answer, `"name":"${name}"`.replace(":", ": "), answer);
  return await eventually(`${name} has a certificate`, async () => {
    const found = await cluster.client.get(CERTIFICATESIGNINGREQUESTS, { name });
    return found.status?.certificate ? found : undefined;
  });
}

clusterTest(
  "A machine that joins with a bootstrap token becomes the node that it says it is, and renews its certificate",
  async () => {
    await makeSigningAuthorities();
    const folder = await Deno.makeTempDir({ prefix: "kubeloop-join-" });
    await using cluster = await Cluster.start({
      nodes: 0,
      apiserverFlags: ["--enable-bootstrap-token-auth=true", "--authorization-mode=Node"],
    });
    const { plane } = cluster;
    try {
      const authority = authorityFile("kubelet-client", "crt");
      await plane.apply(JOINING);
      // kube-apiserver trusts clients by the same file.
      await plane.killApiserver();
      await Deno.writeTextFile(plane.rootCaFile, plane.authority.cert + await Deno.readTextFile(authority));
      await plane.startApiserver();
      await startManager(plane, "kubeloop", { flags: SIGNING_FLAGS });

      const key = `${folder}/node.key`;
      await openssl(["ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", key]);
      const csr = await openssl(["req", "-new", "-key", key, "-subj", "/O=system:nodes/CN=system:node:machine-1"]);
      const bearer = ["-H", `Authorization: Bearer ${TOKEN_ID}.${TOKEN_SECRET}`];
      const first = await requested(cluster, { name: "first", csr, args: bearer });
      assertEquals(first.spec?.username, `system:bootstrap:${TOKEN_ID}`);
      assertEquals(first.status?.conditions?.map(({ type, reason, message }) => [type, reason, message]), [
        ["Approved", "AutoApproved", "Auto approving kubelet client certificate after SubjectAccessReview."],
      ]);
      const cert = `${folder}/node.crt`;
      await Deno.writeTextFile(cert, atob(first.status!.certificate!));
      await openssl(["verify", "-CAfile", authority, "-purpose", "sslclient", "-x509_strict", cert]);

      const asNode = ["--cert", cert, "--key", key];
      const review = JSON.stringify({ apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" });
      const json = ["-H", "Content-Type: application/json"];
      const who = JSON.parse(
        await curl(cluster, "/apis/authentication.k8s.io/v1/selfsubjectreviews", [...asNode, ...json], review),
      );
      assertEquals(who.status.userInfo.username, "system:node:machine-1");
      assert(who.status.userInfo.groups.includes("system:nodes"), String(who.status.userInfo.groups));
      const node = JSON.stringify({ apiVersion: "v1", kind: "Node", metadata: { name: "machine-1" } });
      assertEquals(
        JSON.parse(await curl(cluster, "/api/v1/nodes", [...asNode, ...json], node)).metadata.name,
        "machine-1",
      );

      const second = await requested(cluster, { name: "second", csr, args: asNode });
      assertEquals(second.status?.conditions?.map(({ message }) => message), [
        "Auto approving self kubelet client certificate after SubjectAccessReview.",
      ]);
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
);
