/** The server of a webhook. */
export interface WebhookPeer {
  /** Certificates in PEM to trust in addition to the platform's. */
  readonly caBundle?: string;
  /** The name that its certificate must have. */
  readonly serverName: string;
}

/** Sends requests to webhooks outside this process. */
export type WebhookTransport = (request: Request, peer: WebhookPeer) => Promise<Response>;

/** A webhook in this process. */
export type WebhookHandler = (request: Request) => Promise<Response> | Response;

/**
 * Routes calls of webhooks: to handlers in this process by their origin, to all others through the transport.
 *
 * Contract:
 * 1. A handler answers for one origin, such as `https://policy.default.svc`, until it is removed.
 * 2. Without a transport, an origin without a handler cannot be reached.
 */
export class WebhookRoutes {
  readonly #handlers = new Map<string, WebhookHandler>();
  readonly #transport: WebhookTransport | undefined;

  constructor(transport: WebhookTransport | undefined) {
    this.#transport = transport;
  }

  /** @returns A function that removes it. */
  add(origin: string, handler: WebhookHandler): () => void {
    const key = new URL(origin).origin;
    this.#handlers.set(key, handler);
    return () => {
      if (this.#handlers.get(key) === handler) this.#handlers.delete(key);
    };
  }

  /** The handler in this process for a URL. */
  handler(url: string): WebhookHandler | undefined {
    return this.#handlers.get(new URL(url).origin);
  }

  /** @throws {Error} If the webhook cannot be reached. */
  async send(request: Request, peer: WebhookPeer): Promise<Response> {
    if (this.#transport) return await this.#transport(request, peer);
    const { host } = new URL(request.url);
    throw new Error(`dial tcp ${host}: this server reaches no webhooks but those that were added to it`);
  }
}
