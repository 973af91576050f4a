import { Client, type ClientOptions, type Transport } from "../../../src/client/mod.ts";
import { FakeWorld } from "../../../src/base/mod.ts";

/** A request as a test looks at it. */
export interface SeenRequest {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly text: string;
}

export const SERVER = "https://example.test";

/** An answer, or something to throw. */
export type Answer = Response | Error | ((request: SeenRequest, signal: AbortSignal) => Response | Promise<Response>);

/** A transport that answers from a list, the last answer again and again, and keeps what it was asked. */
export function scripted(...answers: Answer[]): { transport: Transport; seen: SeenRequest[] } {
  const seen: SeenRequest[] = [];
  let next = 0;
  const transport: Transport = async (request) => {
    const { method, url, headers, signal } = request;
    const one = { method, path: url.slice(SERVER.length), headers, text: await request.text() };
    seen.push(one);
    const answer = answers[Math.min(next++, answers.length - 1)];
    if (answer instanceof Error) throw answer;
    return answer instanceof Response ? answer.clone() : await answer(one, signal);
  };
  return { transport, seen };
}

/** A client in a world of its own, before a scripted server. */
export function testClient(answers: Answer[], options: Partial<ClientOptions> = {}) {
  const world = new FakeWorld();
  const { transport, seen } = scripted(...answers);
  const client = new Client({ world, transport, server: SERVER, userAgent: "test", ...options });
  return { world, client, seen };
}

/** The settled state of a promise, after everything ready has run. */
export function outcomeOf<T>(promise: Promise<T>): { value?: T; error?: unknown; isSettled: boolean } {
  const outcome: { value?: T; error?: unknown; isSettled: boolean } = { isSettled: false };
  promise.then((value) => Object.assign(outcome, { value, isSettled: true }), (error) => {
    Object.assign(outcome, { error, isSettled: true });
  });
  return outcome;
}
