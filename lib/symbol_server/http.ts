/** HTTP around a symbol server, and files beside it: a function from a request to a response, as the Fetch standard has
 * them. */

/** Something that is served as it is. */
export interface Page {
  /** What is sent. */
  readonly body: Uint8Array<ArrayBuffer> | string;
  /** `Content-Type` */
  readonly type: string;
  /** Whether the body is compressed. */
  readonly gzip?: boolean;
  /** Whether pages of other origins may read it. */
  readonly shared?: boolean;
}

/** What is served. */
export interface Site {
  /** The first part of every path, which whoever asks has to know; `null` for a public server. */
  readonly token: string | null;
  /** Pages by path, such as `/profile.json`. */
  readonly pages?: ReadonlyMap<string, Page>;
  /** Answers `POST`; as `SymbolServer.answer`. */
  readonly api?: {
    readonly limits: { readonly body: number };
    answer(
      path: string,
      body: Uint8Array,
      signal: AbortSignal,
    ): Promise<{ readonly status: number; readonly json: string }>;
  };
}

/** Maximum time in which a request's body arrives, in milliseconds. */
const BODY_TIME = 30_000;

/** Maximum time for one request, in milliseconds. */
const WORK_TIME = 60_000;

/** A random token: 24 bytes in base 32, as samply's.
 *
 * @example
 * ```ts
 * import { handlerFor, openSymbolServer, randomToken } from "@machpause/machpause/symbol-server";
 *
 * const token = randomToken();
 * const server = openSymbolServer({ symbols: ["./dsyms"] });
 * const { addr } = Deno.serve({ hostname: "127.0.0.1" }, handlerFor({ token, api: server }));
 * console.log(`http://127.0.0.1:${addr.port}/${token}`);
 * ```
 */
export function randomToken(): string {
  const letters = "0123456789abcdfghijklmnpqrsvwxyz";
  const bytes = crypto.getRandomValues(new Uint8Array(39));
  return Array.from(bytes, (byte) => letters[byte & 31]).join("");
}

/** Answers requests, as `Deno.serve` calls it. */
export type Handler = (request: Request) => Promise<Response>;

/** The function that answers requests: `POST` by the site's API, `GET` by its pages.
 *
 * @example
 * ```ts
 * import { handlerFor, openSymbolServer } from "@machpause/machpause/symbol-server";
 *
 * const server = openSymbolServer({ symbols: ["./dsyms"] });
 * Deno.serve({ hostname: "127.0.0.1" }, handlerFor({ token: null, api: server }));
 * ```
 */
export function handlerFor(site: Site): Handler {
  const { token, pages = new Map(), api } = site;
  const prefix = token === null ? "" : `/${token}`;
  return async (request) => {
    const { pathname } = new URL(request.url);
    // Mozilla's convention for balancers: https://github.com/mozilla-services/Dockerflow
    if (pathname === "/__lbheartbeat__" || pathname === "/__heartbeat__") {
      return new Response("ok\n", { headers: { "content-type": "text/plain" } });
    }
    // Without the token nothing is said, to nobody.
    if (!pathname.startsWith(`${prefix}/`) && pathname !== prefix) return status(404);
    const path = pathname.slice(prefix.length) || "/";
    if (request.method === "OPTIONS") return preflight(request);
    if (request.method === "POST" && api !== undefined) {
      return await post(request, path, api);
    }
    if (request.method === "GET" || request.method === "HEAD") {
      const page = pages.get(path);
      if (page === undefined) return status(404);
      return new Response(request.method === "HEAD" ? null : page.body, {
        headers: {
          "content-type": page.type,
          "cache-control": "no-store",
          "x-content-type-options": "nosniff",
          "referrer-policy": "no-referrer",
          ...page.gzip ? { "content-encoding": "gzip" } : {},
          ...page.shared ? { "access-control-allow-origin": "*" } : {},
        },
      });
    }
    return status(405);
  };
}

function status(code: number): Response {
  return new Response(null, { status: code });
}

/** Pages of any origin that know the token may ask, as with samply. */
const open = { "access-control-allow-origin": "*" };

/** See https://fetch.spec.whatwg.org/#http-cors-protocol and, for pages of the Web that ask a local
 * server, https://wicg.github.io/private-network-access/. */
function preflight({ headers }: Request): Response {
  const methods = "POST, GET, OPTIONS";
  if (!headers.has("access-control-request-method")) {
    return new Response(null, { status: 204, headers: { ...open, allow: methods } });
  }
  const asked = headers.get("access-control-request-headers");
  return new Response(null, {
    status: 204,
    headers: {
      ...open,
      "access-control-allow-methods": methods,
      "access-control-max-age": "86400",
      ...asked === null ? {} : { "access-control-allow-headers": asked },
      ...headers.get("access-control-request-private-network") === "true"
        ? { "access-control-allow-private-network": "true" }
        : {},
    },
  });
}

async function post(
  request: Request,
  path: string,
  api: NonNullable<Site["api"]>,
): Promise<Response> {
  const body = await readBody(request, api.limits.body);
  const { status, json } = typeof body === "string"
    ? { status: body === tooLong ? 413 : 408, json: JSON.stringify({ error: body }) }
    : await api.answer(path, body, AbortSignal.timeout(WORK_TIME));
  const headers = { ...open, "content-type": "application/json", "cache-control": "no-store" };
  return new Response(json, {
    status,
    headers: status === 503 ? { ...headers, "retry-after": "1" } : headers,
  });
}

const tooLong = "the request is too long";
const tooSlow = "the request did not arrive in time";

/** The body; or why it was not read. */
async function readBody({ body, headers }: Request, limit: number): Promise<Uint8Array | string> {
  if (Number(headers.get("content-length") ?? 0) > limit) return tooLong;
  if (body === null) return new Uint8Array();
  const pieces: Uint8Array[] = [];
  let length = 0;
  const reader = body.getReader();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    reader.cancel().catch(() => {});
  }, BODY_TIME);
  try {
    for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
      length += piece.value.length;
      if (length > limit) {
        await reader.cancel();
        return tooLong;
      }
      pieces.push(piece.value);
    }
  } finally {
    clearTimeout(timer);
  }
  if (late) return tooSlow;
  const whole = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}
