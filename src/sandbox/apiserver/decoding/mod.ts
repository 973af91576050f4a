/** Turns bodies into objects and explains why some cannot be. Upstream: `apimachinery/pkg/runtime/serializer`. */
export { decodeBody, decodeDocument, heedStrict, keepReset, type Strictness } from "./decode.ts";
export * from "./document.ts";
export { lookCloser } from "./closer_look.ts";
export { type JsonTree, treeOfDocument } from "./json_tree.ts";
export { type Target, typeMetaOf } from "./type_meta.ts";
export { yamlText } from "./yaml.ts";
