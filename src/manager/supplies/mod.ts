/** What controllers need beyond the API server: rotating files, signing keys, folders and the cloud. */
export { contentsOf, type FileText, FileTexts } from "./file_texts.ts";
export { fileOrigins } from "./file_origins.ts";
export { limited } from "./limited.ts";
export { OpenSupplies } from "./open_supplies.ts";
export { type FileOrigin, RotatingFiles } from "./rotating_files.ts";
