import type { CustomResourceDefinition } from "../../../api/mod.ts";
import { deepCopy, deepEqual } from "../../../base/mod.ts";
import { type Environment, nowText } from "../environment.ts";
import type { Traits } from "../traits.ts";

/** Keeps a definition that is being deleted until its instances are gone. */
export const CLEANUP_FINALIZER = "customresourcecleanup.apiextensions.k8s.io";

type Status = NonNullable<CustomResourceDefinition["status"]>;
type Condition = NonNullable<Status["conditions"]>[number];

/** Upstream: `apiextensions-apiserver/pkg/apis/apiextensions/v1/defaults.go` and `pkg/registry/customresourcedefinition`. */
export const customResourceDefinitions: Traits<CustomResourceDefinition> = {
  finalizersOnDelete: [CLEANUP_FINALIZER],
  generation: ({ spec }) => spec,
  defaults({ spec }) {
    if (!spec) return;
    spec.names.singular ||= spec.names.kind?.toLowerCase();
    spec.names.listKind ||= `${spec.names.kind}List`;
    spec.conversion ??= { strategy: "None" };
  },
  prepareCreate(definition, { state }) {
    definition.status = establishedStatus(state, definition);
  },
  prepareUpdate(definition, _old, { state }) {
    definition.status = establishedStatus(state, definition);
  },
  prepareDelete(definition, { state }) {
    const { conditions = [], ...rest } = definition.status ?? {};
    if (conditions.some(({ type }) => type === "Terminating")) return;
    const terminating: Condition = {
      type: "Terminating",
      status: "True",
      lastTransitionTime: nowText(state),
      reason: "InstanceDeletionInProgress",
      message: "CustomResource deletion is in progress",
    };
    definition.status = { ...rest, conditions: [...conditions, terminating] };
  },
  validate({ metadata, spec }, errors) {
    const wanted = `${spec?.names.plural}.${spec?.group}`;
    if (metadata.name !== wanted) {
      errors.invalid("metadata.name", metadata.name, `must be spec.names.plural+"."+spec.group`);
    }
    const versions = spec?.versions ?? [];
    if (!versions.some(({ served }) => served)) {
      errors.invalid("spec.versions", versions, "must have at least one served version");
    }
    if (versions.filter(({ storage }) => storage).length !== 1) {
      errors.invalid("spec.versions", versions, "must have exactly one version marked as storage version");
    }
    if (!["Namespaced", "Cluster"].includes(spec?.scope ?? "")) {
      errors.notSupported("spec.scope", spec?.scope, ["Cluster", "Namespaced"]);
    }
    if (spec?.conversion?.strategy === "Webhook") {
      errors.invalid("spec.conversion.strategy", "Webhook", "conversion webhooks are not supported by this server");
    }
  },
};

/** The status of a definition that is served: names accepted and established. Upstream's controllers write it a moment later. */
function establishedStatus(environment: Environment, { spec, status: old }: CustomResourceDefinition): Status {
  const known = (type: string) => old?.conditions?.find((condition) => condition.type === type);
  const condition = (type: string, reason: string, message: string): Condition => ({
    type,
    status: "True",
    lastTransitionTime: known(type)?.lastTransitionTime ?? nowText(environment),
    reason,
    message,
  });
  const terminating = known("Terminating");
  const stored = spec.versions.filter(({ storage }) => storage).map(({ name }) => name);
  const status: Status = {
    conditions: [
      condition("NamesAccepted", "NoConflicts", "no conflicts found"),
      condition("Established", "InitialNamesAccepted", "the initial names have been accepted"),
      ...terminating ? [terminating] : [],
    ],
    acceptedNames: deepCopy(spec.names),
    storedVersions: [...new Set([...old?.storedVersions ?? [], ...stored])],
  };
  return old && deepEqual(status, old) ? old : status;
}
