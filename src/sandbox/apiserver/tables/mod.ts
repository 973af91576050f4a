/** Tables, which only kubectl asks for. */
export { TABLES } from "./render.ts";
