import { type Transport, webTransport, type WireResponse } from "../../client/mod.ts";
import type { Port } from "./port.ts";
import type { PortAnswers } from "./port_messages.ts";

/**
 * The transport of the client called `client` in a thread without credentials and network: the main thread sends the
 * requests.
 */
export function portTransport(port: Port, client: string): Transport {
  return webTransport(async ({ method, url, headers, body, signal }) => {
    return new PortedResponse(await port.ask({ about: "request", client, method, url, headers, body }, signal));
  });
}

class PortedResponse implements WireResponse {
  readonly #answer: PortAnswers["request"];
  isCut = false;

  constructor(answer: PortAnswers["request"]) {
    this.#answer = answer;
  }

  get status(): number {
    return this.#answer.status;
  }

  get bodyBytes(): number {
    return this.#answer.body.length;
  }

  header(name: string): string | undefined {
    return this.#answer.headers[name];
  }

  text(maxBytes = Infinity): Promise<string> {
    const { body } = this.#answer;
    this.isCut = body.length > maxBytes;
    return Promise.resolve(this.isCut ? body.slice(0, maxBytes) : body);
  }

  stream(onEnd?: () => void): ReadableStream<Uint8Array<ArrayBuffer>> {
    onEnd?.(); // all of it is here
    return new Blob([this.#answer.body]).stream();
  }

  discard(): void {}
}
