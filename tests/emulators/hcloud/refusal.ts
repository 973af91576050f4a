/** The API refuses. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function notFound(what: string): Refusal {
  return new Refusal(404, "not_found", `${what} not found`);
}

export function invalid(message: string): Refusal {
  return new Refusal(422, "invalid_input", message);
}
