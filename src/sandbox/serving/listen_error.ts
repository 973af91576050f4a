/** That a server could not begin to listen; the message is one line for whoever started it. */
export class ListenError extends Error {
  override readonly name = "ListenError";
}

/** What `error` says about listening, in words; any other error as it is. */
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
