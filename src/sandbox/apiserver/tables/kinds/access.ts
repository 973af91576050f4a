import {
  type APIService,
  type CertificateSigningRequest,
  findCondition,
  type PodDisruptionBudget,
  type RoleBinding,
} from "../../../../api/mod.ts";
import { AGE, type Column, humanDuration, integer, NAME, NONE, text, wide } from "../columns/mod.ts";

/** The subjects of one kind; service accounts with their namespaces. */
const subjects = (wanted: string) => ({ subjects }: RoleBinding) =>
  (subjects ?? []).filter(({ kind }) => kind === wanted).map(({ name, namespace }) =>
    wanted === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name
  ).join(", ");

export const roleBindings: readonly Column<RoleBinding>[] = [
  NAME,
  text("Role", ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  AGE,
  wide("Users", subjects("User")),
  wide("Groups", subjects("Group")),
  wide("ServiceAccounts", subjects("ServiceAccount")),
];

function signingState({ status }: CertificateSigningRequest): string {
  const has = (wanted: string) => findCondition(status?.conditions, wanted) !== undefined;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return [decision, ...has("Failed") ? ["Failed"] : [], ...status?.certificate ? ["Issued"] : []].join(",");
}

export const certificateSigningRequests: readonly Column<CertificateSigningRequest>[] = [
  NAME,
  AGE,
  text("SignerName", "spec.signerName", NONE),
  text("Requestor", "spec.username"),
  text(
    "RequestedDuration",
    ({ spec }) => spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * 1000),
  ),
  text("Condition", signingState),
];

export const podDisruptionBudgets: readonly Column<PodDisruptionBudget>[] = [
  NAME,
  text("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  text("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
  integer("Allowed Disruptions", "status.disruptionsAllowed"),
  AGE,
];

function availableText({ status }: APIService): string {
  const { status: state = "Unknown", reason } = findCondition(status?.conditions, "Available") ?? {};
  return state !== "True" && reason ? `${state} (${reason})` : state;
}

export const apiServices: readonly Column<APIService>[] = [
  NAME,
  text("Service", ({ spec }) => spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local"),
  text("Available", availableText),
  AGE,
];
