/** A server could not listen; the message is a single line for the user. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** Describes why listening failed; other errors are returned as they are. */
export function listenErrorOf(error: unknown, { hostname, port }: { hostname: string; port: number }): unknown {
  const why = reasonOf(error);
  if (why === undefined) return error;
  return new ListenError(`listen tcp ${hostname}:${port}: ${why}`, { cause: error });
}

function reasonOf(error: unknown): string | undefined {
  const code = error instanceof Error && "code" in error ? error.code : undefined;
  if (error instanceof Deno.errors.AddrInUse || code === "EADDRINUSE") {
    return "address in use: another process listens there; choose another with --port, or 0 for any that is free";
  }
  if (error instanceof Deno.errors.AddrNotAvailable || code === "EADDRNOTAVAIL") {
    return "address not available: no network interface here has it";
  }
  if (error instanceof Deno.errors.PermissionDenied || code === "EACCES") {
    return "permission denied: ports below 1024 may need privileges; choose another with --port";
  }
  return undefined;
}
