/**
 * The status that signers write to pods' requests. Upstream: ValidatePodCertificateRequestStatusUpdate, and the
 * strategy that authorizes signers.
 */
import { formatDuration, parseTime, type PodCertificateRequest } from "../../../../api/mod.ts";
import { deepEqual } from "../../../../base/mod.ts";
import { type Certificate, certificatesIn, hexOf, pemBlocks, publicKeyBytes } from "../../../../x509/mod.ts";
import { attempt } from "../../base/mod.ts";
import type { Stored, WriteContext } from "../../traits/mod.ts";
import { byteLength, type FieldErrors, fields, validateConditions } from "../../validation/mod.ts";
import { mayFor } from "./signers.ts";
import { keyOf, readKey } from "./pod_keys.ts";

type Request = Stored<PodCertificateRequest>;
type Status = NonNullable<PodCertificateRequest["status"]>;

const ENDS = ["Issued", "Denied", "Failed"];
const CONDITIONS = "status.conditions";
const CHAIN = "status.certificateChain";
const MOST_BYTES = 100 * 1024;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

export function validatePodRequestStatus(
  request: Request,
  old: Request,
  errors: FieldErrors,
  context: WriteContext,
): void {
  findErrors(request, old, errors, context);
  if (errors.count > 0 || deepEqual(request.status ?? {}, old.status ?? {})) return;
  const { signerName } = old.spec;
  if (mayFor(signerName, "sign", context)) return;
  const user = JSON.stringify(context.user.username);
  errors.forbidden(
    "spec.signerName",
    `User ${user} is not permitted to "sign" for signer ${JSON.stringify(signerName)}`,
  );
}

function findErrors(request: Request, old: Request, errors: FieldErrors, context: WriteContext): void {
  const { status = {} } = request;
  findWrongConditions(status, errors);
  if (errors.count > 0) return;
  const isSame = deepEqual(status, old.status ?? {});
  if (endOf(old.status) !== undefined) {
    if (!isSame) errors.invalid("status", status, "is immutable once issued, denied or failed");
    return;
  }
  const end = endOf(status);
  if (end === "Issued") return validateIssued(status, old, errors, context);
  if (end === undefined) {
    if (!isSame) errors.invalid("status", status, "may only become issued, denied or failed");
  } else if (Object.entries(status).some(([name, value]) => name !== "conditions" && value)) {
    errors.invalid("status", status, "must have only conditions if it is denied or failed");
  }
}

function endOf({ conditions = [] }: Status = {}): string | undefined {
  const ends = conditions.filter(({ type, status }) => ENDS.includes(type) && status === "True");
  return ends.find(({ type }) => type !== "Issued")?.type ?? ends[0]?.type;
}

function findWrongConditions({ conditions = [] }: Status, errors: FieldErrors): void {
  let known = 0;
  for (const [i, { type, status }] of conditions.entries()) {
    const at = `${CONDITIONS}.[${i}]`;
    if (!ENDS.includes(type)) {
      errors.notSupported(`${at}.type`, type, ENDS);
      continue;
    }
    if (++known > 1) errors.invalid(`${at}.type`, type, "must not be repeated");
    if (status !== "True") errors.notSupported(`${at}.status`, status, ["True"]);
  }
  validateConditions(conditions, CONDITIONS, errors);
}

function validateIssued(status: Status, { spec }: Request, errors: FieldErrors, context: WriteContext): void {
  const { certificateChain: chain = "" } = status;
  const refuse = (why: string) => errors.invalid(CHAIN, chain, why);
  if (byteLength(chain) > MOST_BYTES) return errors.tooLong(CHAIN, MOST_BYTES);
  const [leafBlock, ...others] = pemBlocks(chain);
  if (!leafBlock) return refuse("must contain a certificate");
  if (leafBlock.type !== "CERTIFICATE") return refuse("must contain only certificates");
  const leaf = certificateIn(leafBlock.bytes);
  if (!leaf) return refuse("leaf certificate does not parse as valid X.509");
  for (const name of leaf.names.dns) findWrongName(name, errors);
  const [wanted, found] = [keyOf(spec), readKey(leaf.publicKey)];
  if (!wanted || !found || found.type === "other" || hexOf(publicKeyBytes(wanted)) !== hexOf(publicKeyBytes(found))) {
    return refuse("leaf certificate was not issued to the requested public key");
  }
  findWrongTimes(status, leaf, spec.maxExpirationSeconds ?? 0, errors, context);
  if (errors.count > 0) return;
  for (const { type, bytes } of others) {
    if (type !== "CERTIFICATE") return refuse("must contain only certificates");
    if (!certificateIn(bytes)) return refuse("intermediate certificate does not parse as valid X.509");
  }
}

/** The certificate in `bytes`, if they contain exactly one. */
export function certificateIn(bytes: Uint8Array<ArrayBuffer>): Certificate | undefined {
  const found = attempt(() => certificatesIn(bytes));
  return found?.length === 1 ? found[0] : undefined;
}

function findWrongName(name: string, errors: FieldErrors): void {
  if (name === "") errors.invalid(CHAIN, name, "must not have an empty DNSName");
  if (name.includes("..")) errors.invalid(CHAIN, name, "must not have '..' in a DNSName");
  if (/^\.|\.$/.test(name)) errors.invalid(CHAIN, name, "must not have DNSNames that begin or end with '.'");
}

const times = fields<Status>({ notBefore: "!", notAfter: "!", beginRefreshAt: "!" });

/** Reports only the first invalid time, once all are set. */
function findWrongTimes(
  status: Status,
  leaf: Certificate,
  mostSeconds: number,
  errors: FieldErrors,
  { state: { world } }: WriteContext,
): void {
  const { notBefore = "", notAfter = "", beginRefreshAt = "" } = status;
  times(status, "status", errors);
  if (errors.count > 0) return;
  const nowMs = world.clock.wallMs();
  const [fromMs, untilMs, refreshMs] = [notBefore, notAfter, beginRefreshAt].map((time) => parseTime(time));
  const lifetimeMs = leaf.notAfterMs - leaf.notBeforeMs;
  const lifetime = formatDuration(lifetimeMs);
  const rules: readonly (readonly [isRight: boolean, at: string, value: string, rule: string])[] = [
    [fromMs === leaf.notBeforeMs, "status.notBefore", notBefore, "must be the certificate's"],
    [Math.abs(fromMs - nowMs) < 5 * MINUTE_MS, "status.notBefore", notBefore, "must be within 5 minutes of now"],
    [untilMs === leaf.notAfterMs, "status.notAfter", notAfter, "must be the certificate's"],
    [lifetimeMs >= HOUR_MS, CHAIN, lifetime, "must be valid for at least 1 hour"],
    [lifetimeMs <= mostSeconds * 1000, CHAIN, lifetime, "must not be valid for longer than maxExpirationSeconds"],
    [refreshMs >= fromMs + 10 * MINUTE_MS, "status.beginRefreshAt", beginRefreshAt, "is too early"],
    [refreshMs <= untilMs - 10 * MINUTE_MS, "status.beginRefreshAt", beginRefreshAt, "is too late"],
  ];
  const wrong = rules.find(([isRight]) => !isRight);
  if (wrong) errors.invalid(wrong[1], wrong[2], wrong[3]);
}
