import type { CertificatesV1beta1ClusterTrustBundle as ClusterTrustBundle } from "../../../../api/mod.ts";
import { type PemBlock, pemBlocks } from "../../../../x509/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { byteLength, dnsSubdomain, type FieldErrors } from "../../validation/mod.ts";
import { certificateIn } from "./pod_request_status.ts";
import { validateSignerName } from "./signers.ts";

const MOST_BYTES = 1024 * 1024;
const AT = "spec.trustBundle";
const LEFT_OUT = "<value omitted>";

/** Upstream: `pkg/registry/certificates/clustertrustbundle`. */
export const clusterTrustBundles: Traits<ClusterTrustBundle> = {
  names: "path",
  immutable: ["spec.signerName"],
  validate({ metadata: { name = "" }, spec }, errors, old) {
    const { signerName = "", trustBundle = "" } = spec ?? {};
    errors.invalidFor("metadata.name", name, nameProblems(name, signerName));
    if (signerName) validateSignerName(signerName, errors);
    if (trustBundle !== old?.spec?.trustBundle) validateBundle(trustBundle, errors);
  },
};

function nameProblems(name: string, signerName: string): readonly string[] {
  if (!signerName) return name.includes(":") ? ["must not have a colon without a signer"] : dnsSubdomain(name);
  const prefix = `${signerName.replaceAll("/", ":")}:`;
  if (name.startsWith(prefix)) return dnsSubdomain(name.slice(prefix.length));
  return [`ClusterTrustBundle for signerName ${signerName} must be named with prefix ${prefix}`];
}

function validateBundle(text: string, errors: FieldErrors): void {
  if (byteLength(text) > MOST_BYTES) return errors.tooLong(AT, MOST_BYTES);
  const blocks = [...pemBlocks(text)];
  const count = errors.count;
  for (const [i, block] of blocks.entries()) {
    const why = blockProblem(block);
    if (why !== undefined) errors.invalid(AT, LEFT_OUT, `entry ${i} ${why}`);
  }
  if (errors.count > count) return;
  if (blocks.length === 0) errors.invalid(AT, LEFT_OUT, "at least one trust anchor must be provided");
  for (const indices of Map.groupBy(blocks.keys(), (i) => blocks[i].bytes.join()).values()) {
    if (indices.length > 1) errors.invalid(AT, LEFT_OUT, `duplicate trust anchor (indices [${indices.join(" ")}])`);
  }
}

function blockProblem({ type, hasHeaders, bytes }: PemBlock): string | undefined {
  if (type !== "CERTIFICATE") return `has bad block type: ${type}`;
  if (hasHeaders) return "has PEM block headers";
  const certificate = certificateIn(bytes);
  if (!certificate) return "does not parse as X.509";
  return certificate.isAuthority ? undefined : "does not have the CA bit set";
}
