/** What upstream's controllers besides those of Deployments, the garbage and namespaces are asked to do. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { encodeBase64 } from "@std/encoding/base64";
import { assertEquals } from "@std/assert";
import {
  CERTIFICATESIGNINGREQUESTS,
  CLUSTERROLES,
  DAEMONSETS,
  ENDPOINTSLICES,
  JOBS,
  PODDISRUPTIONBUDGETS,
  RESOURCEQUOTAS,
  SECRETS,
  SERVICES,
  STATEFULSETS,
} from "../../src/api/mod.ts";
import type { Kit } from "../scenarios/kit.ts";
import type { EmbeddedPlane } from "./embedded_plane.ts";

const labels = { app: "x" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [{ name: "c", image: "nginx:1" }] } };

/** Workloads, and what watches over them. */
export async function exerciseWorkloads(kit: Kit): Promise<void> {
  await kit.create(SERVICES, { metadata: { name: "x" }, spec: { selector: labels, ports: [{ port: 80 }] } });
  await kit.create(RESOURCEQUOTAS, { metadata: { name: "q" }, spec: { hard: { pods: "50" } } });
  await kit.create(PODDISRUPTIONBUDGETS, { metadata: { name: "b" }, spec: { selector, minAvailable: 1 } });
  await kit.create(STATEFULSETS, {
    metadata: { name: "s" },
    spec: { selector, template, replicas: 2, serviceName: "x" },
  });
  await kit.until(STATEFULSETS, "s", "is ready", ({ status }) => status?.readyReplicas === 2);
  await kit.create(DAEMONSETS, { metadata: { name: "d" }, spec: { selector, template } });
  await kit.until(DAEMONSETS, "d", "is on every node", ({ status }) => status?.numberReady === 3);
  await kit.untilAll(
    ENDPOINTSLICES,
    "lead to every pod",
    (slices) =>
      slices.flatMap(({ endpoints }) => endpoints ?? []).filter(({ conditions }) => conditions?.ready).length === 5,
  );
  await kit.until(PODDISRUPTIONBUDGETS, "b", "counts them", ({ status }) => status?.currentHealthy === 5);
  await kit.until(RESOURCEQUOTAS, "q", "counts them", ({ status }) => status?.used?.pods === "5");
  const once = { ...template, spec: { ...template.spec, restartPolicy: "Never" } };
  await kit.create(JOBS, { metadata: { name: "j" }, spec: { template: { spec: once.spec }, completions: 2 } });
  await kit.until(JOBS, "j", "is complete", ({ status }) => status?.succeeded === 2 && status.completionTime);
}

/** What gives somebody access: a token in a Secret, a signed certificate, an aggregated role. */
export async function exerciseAccess(plane: EmbeddedPlane, kit: Kit): Promise<void> {
  const annotations = { "kubernetes.io/service-account.name": "default" };
  await kit.create(SECRETS, { metadata: { name: "t", annotations }, type: "kubernetes.io/service-account-token" });
  const { data } = await kit.until(SECRETS, "t", "has a token", (secret) => secret.data?.token);
  const account = `system:serviceaccount:${kit.namespace}:default`;
  assertEquals(await plane.whoami({ token: atob(data!.token) }), account);

  const { request, key } = await certificateRequest("joe");
  const name = `${kit.namespace}-joe`;
  const signer = "kubernetes.io/kube-apiserver-client";
  await kit.create(CERTIFICATESIGNINGREQUESTS, {
    metadata: { name },
    spec: { request, signerName: signer, usages: ["client auth"] },
  });
  const conditions = [{ type: "Approved", status: "True", reason: "Test", message: "approved" }];
  await plane.client.patch(CERTIFICATESIGNINGREQUESTS, { name }, {
    type: "merge",
    body: { status: { conditions } },
    subresource: "approval",
  });
  const { status } = await kit.until(CERTIFICATESIGNINGREQUESTS, name, "is signed", (csr) => csr.status?.certificate);
  assertEquals(await plane.whoami({ clientCertificate: { cert: atob(status!.certificate!), key } }), "joe");

  const part = `${kit.namespace}-part`;
  const rules = [{ apiGroups: ["example.com"], resources: ["websites"], verbs: ["get"] }];
  const aggregate = "rbac.authorization.k8s.io/aggregate-to-view";
  await kit.create(CLUSTERROLES, { metadata: { name: part, labels: { [aggregate]: "true" } }, rules });
  await kit.until(
    CLUSTERROLES,
    "view",
    "has the part's rules",
    (view) => view.rules?.some(({ apiGroups }) => apiGroups?.includes("example.com")),
  );
}

async function certificateRequest(user: string): Promise<{ request: string; key: string }> {
  const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const keys = await crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);
  const request = await x509.Pkcs10CertificateRequestGenerator.create({
    name: `CN=${user}`,
    keys,
    signingAlgorithm: algorithm,
  });
  const key = x509.PemConverter.encode(await crypto.subtle.exportKey("pkcs8", keys.privateKey), "PRIVATE KEY");
  return { request: encodeBase64(request.toString("pem")), key };
}
