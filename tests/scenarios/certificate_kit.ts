/** What scenarios of certificate requests begin with, and how they tell what came of them. */
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { type CertificateSigningRequest, CERTIFICATESIGNINGREQUESTS, CONFIGMAPS } from "../../src/api/mod.ts";
import type { Kit } from "./kit.ts";
import { type RequestParts, requestPem } from "./request_pem.ts";

export const CLIENT = "kubernetes.io/kube-apiserver-client";
export const KUBELET = "kubernetes.io/kube-apiserver-client-kubelet";
export const SERVING = "kubernetes.io/kubelet-serving";
export const UNKNOWN = "kubernetes.io/legacy-unknown";

/** What is asked for. */
export interface Asked extends RequestParts {
  /** As the object carries it; made of the other parts if absent. */
  readonly pem?: string;
  readonly signerName?: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
  /** Stores the object past all that the API server checks, changed by this. */
  readonly spoil?: (stored: CertificateSigningRequest) => void;
}

type Decision = "Approved" | "Denied" | "Failed";

/** Requests belong to no namespace: their names begin with one. */
const nameOf = (kit: Kit, name: string) => `${kit.namespace}-${name}`;

/** Makes a request. */
export async function ask(kit: Kit, asked: Asked, name = "r"): Promise<void> {
  const { pem = await requestPem(asked), signerName = CLIENT, usages = ["client auth"], expirationSeconds } = asked;
  const object: CertificateSigningRequest = {
    apiVersion: "certificates.k8s.io/v1",
    kind: "CertificateSigningRequest",
    metadata: { name: nameOf(kit, name) },
    spec: { request: btoa(pem), signerName, usages: [...usages], expirationSeconds },
  };
  if (asked.spoil) await kit.createUnchecked(CERTIFICATESIGNINGREQUESTS, object, asked.spoil);
  else await kit.create(CERTIFICATESIGNINGREQUESTS, object);
}

/** Decides a request, as its administrator does, or its signer. */
export async function decide(kit: Kit, type: Decision, name = "r"): Promise<void> {
  const object = await kit.get(CERTIFICATESIGNINGREQUESTS, nameOf(kit, name));
  const condition = { type, status: "True", reason: "Test", message: `${type} by the test` };
  const status = { ...object.status, conditions: [...object.status?.conditions ?? [], condition] };
  const subresource = type === "Failed" ? "status" : "approval";
  await kit.client.update(CERTIFICATESIGNINGREQUESTS, { ...object, status }, { subresource });
}

/** Waits until a request has its certificate, or will have none. */
export async function settled(kit: Kit, name = "r"): Promise<void> {
  await kit.until(
    CERTIFICATESIGNINGREQUESTS,
    nameOf(kit, name),
    "has a certificate, or why there is none",
    ({ status }) => status?.certificate || status?.conditions?.some(({ type }) => type === "Failed"),
  );
}

/** Waits until a request that came later has its certificate: the first one has been looked at by then. */
export async function passedOver(kit: Kit, signerName: string): Promise<void> {
  const usages = signerName === SERVING ? ["digital signature", "server auth"] : ["digital signature", "client auth"];
  const subject: RequestParts["subject"] = [["O", "system:nodes"], ["CN", "system:node:later"]];
  const names: RequestParts["names"] = signerName === SERVING ? [{ type: "dns", value: "later" }] : [];
  await ask(kit, { signerName, usages, subject, names }, "later");
  if (signerName !== KUBELET) await decide(kit, "Approved", "later");
  await settled(kit, "later");
}

/** Writes down what came of a request, without what differs from run to run, where comparisons look. */
export async function tell(kit: Kit, name = "r"): Promise<void> {
  const object = await kit.get(CERTIFICATESIGNINGREQUESTS, nameOf(kit, name));
  const { certificate, conditions = [] } = object.status ?? {};
  const told = {
    conditions: conditions.map(({ lastTransitionTime, lastUpdateTime, ...rest }) => ({
      ...rest,
      times: [lastTransitionTime, lastUpdateTime].map((time) => typeof time),
    })),
    managers: (object.metadata?.managedFields ?? [])
      .map(({ manager, operation, subresource }) => `${manager} ${operation} ${subresource}`)
      .filter((text) => text.startsWith("kube-controller-manager")).sort(),
    certificate: certificate && describe(atob(certificate), atob(object.spec!.request)),
  };
  await kit.create(CONFIGMAPS, {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: "outcome" },
    data: { [name]: JSON.stringify(told, null, 1) },
  });
}

const AUTHORITY_KEY = "2.5.29.35";

/** What a certificate says, but for what is random, and for times. */
function describe(pem: string, requestText: string): unknown {
  const certificate = new x509.X509Certificate(pem);
  const request = new x509.Pkcs10CertificateRequest(requestText);
  const [before, after] = [certificate.notBefore.getTime(), certificate.notAfter.getTime()];
  return {
    issuer: certificate.issuer,
    subject: hex(certificate.subjectName.toArrayBuffer()),
    seconds: (after - before) / 1000,
    isKeyOfRequest: hex(certificate.publicKey.rawData) === hex(request.publicKey.rawData),
    signature: certificate.signatureAlgorithm,
    extensions: [...certificate.extensions].map(({ type, critical, value }) => ({
      type,
      critical,
      value: type === AUTHORITY_KEY ? value.byteLength : hex(value),
    })),
    lines: pem.split("\n").map((line, i, { length }) => i < 2 || i > length - 3 ? line.replace(/^MI.*/, "MI") : 64)
      .slice(0, 3),
    isEndedByNewline: pem.endsWith("-----END CERTIFICATE-----\n"),
  };
}

function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}
