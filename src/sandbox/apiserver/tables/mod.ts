/** Tables, which only kubectl requests. */
export { TABLES } from "./render.ts";
