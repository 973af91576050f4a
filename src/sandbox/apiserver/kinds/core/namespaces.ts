import type { Namespace } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";
import { type FieldErrors, qualifiedName, validateFinalizerIsKnown } from "../../validation/mod.ts";

/** A finalizer of a namespace's spec must be a known or a qualified name. */
export function validateSpecFinalizer(finalizer: string, at: string, errors: FieldErrors): void {
  errors.invalidFor(at, finalizer, qualifiedName(finalizer));
  validateFinalizerIsKnown(finalizer, at, errors);
}

/** Upstream: `pkg/registry/core/namespace`. `spec.finalizers` keeps a namespace until its content is gone. */
export const namespaces: Traits<Namespace> = {
  names: "label",
  answersDeleted: true,
  ignoresPropagation: true,
  defaults({ metadata, status }) {
    if (metadata.name) metadata.labels = { ...metadata.labels, "kubernetes.io/metadata.name": metadata.name };
    if (status && !status.phase) status.phase = "Active";
  },
  prepareCreate(namespace) {
    const finalizers = namespace.spec?.finalizers ?? [];
    namespace.spec = { finalizers: finalizers.includes("kubernetes") ? finalizers : [...finalizers, "kubernetes"] };
    namespace.status = { phase: "Active" };
  },
  prepareUpdate(namespace, old) {
    namespace.spec = { ...namespace.spec };
    if (old.spec?.finalizers) namespace.spec.finalizers = [...old.spec.finalizers];
    else delete namespace.spec.finalizers;
  },
  validate({ spec }, errors) {
    for (const finalizer of spec?.finalizers ?? []) validateSpecFinalizer(finalizer, "spec.finalizers", errors);
  },
  validateStatus({ metadata, status }, _old, errors) {
    const [wanted, when] = metadata.deletionTimestamp ? ["Terminating", "is not empty"] : ["Active", "is empty"];
    if (status?.phase === wanted) return;
    errors.invalid("status.Phase", status?.phase ?? "", `may only be '${wanted}' if \`deletionTimestamp\` ${when}`);
  },
  prepareDelete(namespace) {
    namespace.status = { ...namespace.status, phase: "Terminating" };
  },
  blocksRemoval: ({ spec }) => (spec?.finalizers?.length ?? 0) > 0,
};
