/** Who is to be found where a request to a webhook goes. */
export interface WebhookPeer {
  /** Certificates in PEM, by which it is known besides those that the platform trusts. */
  readonly caBundle?: string;
  /** The name in its certificate. */
  readonly serverName: string;
}

/** Carries requests to webhooks out of this process. */
export type WebhookTransport = (request: Request, peer: WebhookPeer) => Promise<Response>;

/** A webhook in this process. */
export type WebhookHandler = (request: Request) => Promise<Response> | Response;

/**
 * How webhooks are reached: those that are in this process by their origin, all others by the transport.
 *
 * Contract:
 * 1. A handler answers for one origin, such as `https://policy.default.svc`, until it is removed.
 * 2. Without a transport, what no handler answers for is not reached.
 */
export class WebhookRoutes {
  readonly #handlers = new Map<string, WebhookHandler>();
  readonly #transport: WebhookTransport | undefined;

  constructor(transport: WebhookTransport | undefined) {
    this.#transport = transport;
  }

  /** @returns What removes it. */
  add(origin: string, handler: WebhookHandler): () => void {
    const key = new URL(origin).origin;
    this.#handlers.set(key, handler);
    return () => {
      if (this.#handlers.get(key) === handler) this.#handlers.delete(key);
    };
  }

  /** The webhook in this process that a URL names. */
  handler(url: string): WebhookHandler | undefined {
    return this.#handlers.get(new URL(url).origin);
  }

  /** @throws {Error} If it is not reached. */
  async send(request: Request, peer: WebhookPeer): Promise<Response> {
    if (this.#transport) return await this.#transport(request, peer);
    const { host } = new URL(request.url);
    throw new Error(`dial tcp ${host}: this server reaches no webhooks but those that were added to it`);
  }
}
