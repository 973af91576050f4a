import type { ServiceAccount } from "../../../../api/mod.ts";
import type { Traits } from "../../traits/mod.ts";

const ENFORCES = "kubernetes.io/enforce-mountable-secrets";

/** Keeps only the names of secrets in references. */
function keepNames(account: ServiceAccount): void {
  if (account.secrets) account.secrets = account.secrets.map(({ name }) => name === undefined ? {} : { name });
}

export const serviceAccounts: Traits<ServiceAccount> = {
  answersDeleted: true,
  prepareCreate: keepNames,
  prepareUpdate: keepNames,
  warnings({ metadata }, old) {
    const has = (annotations: Record<string, string> = {}) => ENFORCES in annotations;
    if (!has(metadata.annotations) || has(old?.metadata.annotations)) return [];
    const why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets";
    return [`metadata.annotations[${ENFORCES}]: ${why}`];
  },
};
