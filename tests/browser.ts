/** Headless Chromium, driven over the DevTools protocol: real clicks and keys, the DOM, and pictures. */

/** Where Debian's package has it. `CHROMIUM` names another. */
const path = Deno.env.get("CHROMIUM") ?? "/usr/bin/chromium";

/** Whether there is a browser to test with. */
export const hasBrowser: boolean = await Deno.stat(path).then(() => true, () => false);

type Params = Record<string, unknown>;

/** The numbers by which a browser knows the keys that it acts on itself: `KeyboardEvent.keyCode`. */
const virtualKeys: Readonly<Record<string, number>> = {
  ...{ Tab: 9, Enter: 13, Escape: 27, " ": 32, PageUp: 33, PageDown: 34, End: 35, Home: 36 },
  ...{ ArrowLeft: 37, ArrowUp: 38, ArrowRight: 39, ArrowDown: 40, "/": 191, "?": 191 },
};

/** A page in a browser. */
export class Page implements AsyncDisposable {
  /** What the page complained about: exceptions, errors of the console, refusals of its policy. */
  readonly errors: string[] = [];
  /** Addresses that the page asked for. */
  readonly requests: string[] = [];
  readonly #socket: WebSocket;
  readonly #stop: () => Promise<void>;
  readonly #waiting = new Map<number, (message: Params) => void>();
  readonly #once = new Map<string, () => void>();
  #session: string | undefined;
  #last = 0;

  private constructor(socket: WebSocket, stop: () => Promise<void>) {
    this.#socket = socket;
    this.#stop = stop;
    socket.onmessage = ({ data }) => this.#received(JSON.parse(data));
  }

  /** Starts a browser with an empty page. */
  static async open(width = 960, height = 640): Promise<Page> {
    const folder = await Deno.makeTempDir();
    const process = new Deno.Command(path, {
      args: [
        ...["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"],
        ...["--disable-background-networking", "--disable-component-update", "--disable-sync"],
        ...["--disable-extensions", "--mute-audio", "--no-zygote"],
        ...["--hide-scrollbars", "--remote-debugging-port=0", `--user-data-dir=${folder}`],
        "about:blank",
      ],
      stdout: "null",
      stderr: "piped",
    }).spawn();
    let text = "";
    const output = process.stderr.pipeThrough(new TextDecoderStream()).getReader();
    let address: string | undefined;
    while (address === undefined) {
      const { value, done } = await output.read();
      if (done) throw new Error(`Chromium ended: ${text}`);
      text += value;
      address = /DevTools listening on (ws:\S+)/.exec(text)?.[1];
    }
    const drained = (async () => {
      while (!(await output.read()).done);
    })();
    const socket = new WebSocket(address);
    await new Promise((resolve) => socket.onopen = resolve);
    const page = new Page(socket, async () => {
      const closed = new Promise((resolve) => socket.onclose = resolve);
      await page.send("Browser.close").catch(() => {});
      await closed;
      await process.status;
      await drained;
      await Deno.remove(folder, { recursive: true }).catch(() => {});
    });
    const { targetId } = await page.send("Target.createTarget", { url: "about:blank" });
    const attached = await page.send("Target.attachToTarget", { targetId, flatten: true });
    page.#session = attached.sessionId as string;
    for (const domain of ["Page", "Runtime", "Log", "Network"]) await page.send(`${domain}.enable`);
    await page.resize(width, height);
    return page;
  }

  #received(message: Params): void {
    if (typeof message.id === "number") {
      this.#waiting.get(message.id)?.(message);
      this.#waiting.delete(message.id);
      return;
    }
    // deno-lint-ignore no-explicit-any
    const params = message.params as any;
    switch (message.method) {
      case "Runtime.exceptionThrown":
        this.errors.push(params.exceptionDetails.exception?.description ?? "exception");
        break;
      case "Log.entryAdded":
        if (params.entry.level === "error") this.errors.push(params.entry.text);
        break;
      case "Network.requestWillBeSent":
        this.requests.push(params.request.url);
        break;
    }
    this.#once.get(message.method as string)?.();
  }

  /** Sends a command of the protocol.
   *
   * @throws Error what the browser says
   */
  // deno-lint-ignore no-explicit-any
  async send(method: string, params: Params = {}): Promise<any> {
    const id = ++this.#last;
    const session = this.#session === undefined ? {} : { sessionId: this.#session };
    const answer = new Promise<Params>((resolve) => this.#waiting.set(id, resolve));
    this.#socket.send(JSON.stringify({ id, method, params, ...session }));
    const { error, result } = await answer;
    if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
    return result;
  }

  /** Opens an address, and waits until it is loaded. */
  async go(url: string): Promise<void> {
    this.errors.length = 0;
    this.requests.length = 0;
    const loaded = new Promise<void>((resolve) => this.#once.set("Page.loadEventFired", resolve));
    await this.send("Page.navigate", { url });
    await loaded;
  }

  /** Changes the size of the window. */
  async resize(width: number, height: number, scale = 1): Promise<void> {
    await this.send("Emulation.setDeviceMetricsOverride", {
      ...{ width, height, deviceScaleFactor: scale, mobile: false },
    });
  }

  /** The system's colours. */
  async scheme(value: "dark" | "light"): Promise<void> {
    const features = [{ name: "prefers-color-scheme", value }];
    await this.send("Emulation.setEmulatedMedia", { features });
  }

  /** The value of an expression in the page. */
  // deno-lint-ignore no-explicit-any
  async value(expression: string): Promise<any> {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      ...{ expression, returnByValue: true, awaitPromise: true },
    });
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? expression);
    return result.value;
  }

  /** The text that a person sees in an element. */
  async text(selector: string): Promise<string> {
    return await this.value(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ""`);
  }

  /** Waits until an expression holds. */
  async until(expression: string): Promise<void> {
    for (let round = 0; !await this.value(`Boolean(${expression})`); round++) {
      if (round === 200) throw new Error(`never: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** Clicks in the middle of the element that an expression gives, or that a selector finds. */
  async click(what: string): Promise<void> {
    const element = /^[#.\[\w-]+[^()]*$/.test(what)
      ? `document.querySelector(${JSON.stringify(what)})`
      : what;
    const [x, y] = await this.value(
      `(() => { const e = ${element}; e.scrollIntoView({ block: "nearest" });` +
        "const b = e.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()",
    );
    await this.drag([x, y]);
  }

  /** Presses the mouse at the first point, moves it over the others, and lets go at the last. */
  async drag(...points: readonly (readonly [number, number])[]): Promise<void> {
    const mouse = async (type: string, [x, y]: readonly [number, number], buttons: number) =>
      await this.send("Input.dispatchMouseEvent", {
        ...{ type, x, y, buttons, button: "left", clickCount: 1 },
      });
    await mouse("mouseMoved", points[0], 0);
    await mouse("mousePressed", points[0], 1);
    for (const point of points.slice(1)) await mouse("mouseMoved", point, 1);
    await mouse("mouseReleased", points.at(-1)!, 0);
  }

  /** Presses a key by its name, such as `ArrowDown`, `Shift+Tab` or `/`, with what the browser itself does at it. */
  async key(name: string): Promise<void> {
    const isShifted = name.startsWith("Shift+");
    const key = isShifted ? name.slice("Shift+".length) : name;
    const text = key.length === 1 ? { text: key } : key === "Enter" ? { text: "\r" } : {};
    const parts = {
      ...{ key, code: key, windowsVirtualKeyCode: virtualKeys[key] ?? key.charCodeAt(0) },
      modifiers: isShifted ? 8 : 0,
    };
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...parts, ...text });
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...parts });
  }

  /** Types a text into what has the focus. */
  async type(text: string): Promise<void> {
    await this.send("Input.insertText", { text });
  }

  /** A picture of the page, as PNG. */
  async picture(): Promise<Uint8Array> {
    const { data } = await this.send("Page.captureScreenshot", { format: "png" });
    return Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  }

  /** Closes the browser. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#session = undefined;
    await this.#stop();
  }
}
