/** Rules for pods and pod templates. Upstream: `pkg/registry/core/pod/strategy.go`, `pkg/apis/core`. */
export { validateNodeSelector } from "./affinity.ts";
export { MIRROR } from "./annotations.ts";
export { defaultTemplate } from "./defaults.ts";
export { pods, podTemplates } from "./pods.ts";
export { qosClassOf } from "./qos.ts";
export { validateRequirements } from "./resources.ts";
export { validateTolerations } from "./scheduling.ts";
export { validateTemplate } from "./template.ts";
export { nameWarnings, templateWarnings } from "./warnings.ts";
