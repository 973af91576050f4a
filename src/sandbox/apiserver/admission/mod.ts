/** Changes and refuses writes before they are stored. Upstream: `plugin/pkg/admission`. */
export { admit, validateAdmission } from "./chain.ts";
export { topologyLabels } from "./nodes.ts";
export { awaitDefaultAccount } from "./service_account.ts";
export { standardStorageClass } from "./standard_storage_class.ts";
