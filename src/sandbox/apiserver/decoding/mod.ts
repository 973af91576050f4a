/** How bodies become objects, and what is said about those that do not. Upstream: `apimachinery/pkg/runtime/serializer`. */
export * from "./decode.ts";
export * from "./document.ts";
export { type JsonTree, treeOf, treeOfDocument } from "./json_tree.ts";
export { readAsGo, scalarErrorAsGo } from "./go_reader.ts";
export { keepReset } from "./reset.ts";
export { type Target, type TypeMeta, typeMetaOf } from "./type_meta.ts";
export { readYaml, YamlError } from "./yaml.ts";
export { yamlText } from "./yaml_text.ts";
