/** What is wrong is in the object itself, and stays wrong until it is changed. */
export class SpecError extends Error {
  override readonly name = "SpecError";
}
