import type { Event } from "../../../src/api/mod.ts";
import { deepCopy } from "../../../src/base/mod.ts";
import { StatusError } from "../../../src/client/mod.ts";
import type { EventClient } from "../../../src/events/mod.ts";

/** One request that reached the server. */
export interface Write {
  readonly verb: "POST" | "PATCH";
  readonly name: string;
  readonly body: Event;
}

/** A server that keeps events. */
export class FakeEventApi {
  readonly writes: Write[] = [];
  readonly events = new Map<string, Event>();
  /** Before the server sees a request; throw to make it fail. */
  before: (verb: Write["verb"], name: string) => void | Promise<void> = () => {};
  /** The most requests that were under way at a time. */
  mostAtOnce = 0;
  #underWay = 0;

  readonly client: EventClient = {
    create: (_resource, event) => {
      const key = `${event.metadata.namespace}/${event.metadata.name}`;
      return this.#serve({ verb: "POST", name: key, body: event }, () => {
        if (this.events.has(key)) throw refusal(409, "AlreadyExists");
        return event;
      });
    },
    patch: (_resource, { namespace, name }, { body }) => {
      const key = `${namespace}/${name}`;
      return this.#serve({ verb: "PATCH", name: key, body: body as Event }, () => {
        const event = this.events.get(key);
        if (!event) throw refusal(404, "NotFound");
        return { ...event, ...body as Event };
      });
    },
  };

  async #serve(write: Write, act: () => Event): Promise<Event> {
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#underWay);
    try {
      await this.before(write.verb, write.name);
      this.writes.push(deepCopy(write));
      const event = act();
      this.events.set(write.name, deepCopy(event));
      return event;
    } finally {
      this.#underWay--;
    }
  }
}

export function refusal(code: number, reason: string, cause?: string): StatusError {
  const details = cause ? { causes: [{ reason: cause }] } : undefined;
  return new StatusError({ status: "Failure", code, reason, message: `${reason}!`, details });
}
