import type {
  APIService,
  CertificateSigningRequest,
  Lease,
  PodDisruptionBudget,
  PriorityClass,
  RoleBinding,
  RuntimeClass,
} from "../../../../api/mod.ts";
import { AGE, type Column, flag, humanDuration, integer, NAME, NONE, orNone, text, wide } from "../columns/mod.ts";

/** The subjects of one kind; service accounts with their namespaces. */
function subjectsText({ subjects }: RoleBinding, wanted: string): string {
  return (subjects ?? []).filter(({ kind }) => kind === wanted).map(({ name, namespace }) =>
    wanted === "ServiceAccount" ? `${namespace ?? ""}/${name}` : name
  ).join(", ");
}

export const roleBindings: readonly Column<RoleBinding>[] = [
  NAME,
  text("Role", ({ roleRef }) => `${roleRef?.kind ?? ""}/${roleRef?.name ?? ""}`),
  AGE,
  wide("Users", (binding) => subjectsText(binding, "User")),
  wide("Groups", (binding) => subjectsText(binding, "Group")),
  wide("ServiceAccounts", (binding) => subjectsText(binding, "ServiceAccount")),
];

function signingState({ status }: CertificateSigningRequest): string {
  const has = (wanted: string) => status?.conditions?.some(({ type }) => type === wanted) ?? false;
  const decision = has("Denied") ? "Denied" : has("Approved") ? "Approved" : "Pending";
  return [decision, ...has("Failed") ? ["Failed"] : [], ...status?.certificate ? ["Issued"] : []].join(",");
}

export const certificateSigningRequests: readonly Column<CertificateSigningRequest>[] = [
  NAME,
  AGE,
  text("SignerName", ({ spec }) => orNone(spec?.signerName)),
  text("Requestor", ({ spec }) => spec?.username),
  text(
    "RequestedDuration",
    ({ spec }) => spec?.expirationSeconds === undefined ? NONE : humanDuration(spec.expirationSeconds * 1000),
  ),
  text("Condition", signingState),
];

export const leases: readonly Column<Lease>[] = [NAME, text("Holder", ({ spec }) => spec?.holderIdentity), AGE];

export const podDisruptionBudgets: readonly Column<PodDisruptionBudget>[] = [
  NAME,
  text("Min Available", ({ spec }) => String(spec?.minAvailable ?? "N/A")),
  text("Max Unavailable", ({ spec }) => String(spec?.maxUnavailable ?? "N/A")),
  integer("Allowed Disruptions", ({ status }) => status?.disruptionsAllowed ?? 0),
  AGE,
];

export const priorityClasses: readonly Column<PriorityClass>[] = [
  NAME,
  integer("Value", ({ value }) => value ?? 0),
  flag("Global-Default", ({ globalDefault }) => globalDefault),
  AGE,
  text("PreemptionPolicy", ({ preemptionPolicy }) => preemptionPolicy),
];

export const runtimeClasses: readonly Column<RuntimeClass>[] = [NAME, text("Handler", ({ handler }) => handler), AGE];

function availableText({ status }: APIService): string {
  const condition = status?.conditions?.find(({ type }) => type === "Available");
  if (!condition) return "Unknown";
  return condition.status !== "True" && condition.reason
    ? `${condition.status} (${condition.reason})`
    : condition.status;
}

export const apiServices: readonly Column<APIService>[] = [
  NAME,
  text("Service", ({ spec }) => spec?.service ? `${spec.service.namespace ?? ""}/${spec.service.name ?? ""}` : "Local"),
  text("Available", availableText),
  AGE,
];
