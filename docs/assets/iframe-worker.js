// Browsers allow no workers on pages that are opened as files: a hidden frame does the work instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.onmessage = null;
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      const run = `<script>
        window.importScripts = (...urls) => urls.reduce(
          (before, url) => before.then(() => new Promise((resolve, reject) => {
            const script = document.createElement("script");
            script.src = url;
            script.onload = resolve;
            script.onerror = reject;
            document.head.appendChild(script);
          })), Promise.resolve());
        window.postMessage = (data) => parent.dispatchEvent(
          new CustomEvent("worked", {detail: {frame: window.name, data}}));
        </scr` + `ipt><script src="${url}"></scr` + `ipt>`;
      this.frame.name = `worker-${Math.random()}`;
      this.frame.srcdoc = run;
      this.ready = new Promise((resolve) => { this.frame.onload = resolve; });
      document.body.appendChild(this.frame);
      window.addEventListener("worked", ({detail}) => {
        if (detail.frame !== this.frame.name) return;
        const event = new MessageEvent("message", {data: detail.data});
        this.dispatchEvent(event);
        if (this.onmessage) this.onmessage(event);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.frame.contentWindow.dispatchEvent(new MessageEvent("message", {data})));
    }
    terminate() { this.frame.remove(); }
  };
}
