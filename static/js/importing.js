/* Import: <ts-import> takes a dropped file and follows a job by its twin. The plain form works without it. */
import { say } from "./live.js";
import { count, duration, size } from "./text.js";

const EVERY = 500;

class Import extends HTMLElement {
  connectedCallback() {
    if (this.dataset.job) this.follow();
    else if (this.querySelector("input[type=file]")) this.take();
  }

  /** A file may be dropped anywhere on the page; it goes the way of the form. */
  take() {
    const form = this.querySelector("form");
    const input = form.elements.file;
    const over = (on) => (event) => {
      event.preventDefault();
      this.toggleAttribute("data-over", on);
    };
    for (const name of ["dragenter", "dragover"]) document.addEventListener(name, over(true));
    for (const name of ["dragleave", "drop"]) document.addEventListener(name, over(false));
    document.addEventListener("drop", (event) => {
      if (!event.dataTransfer?.files.length) return;
      input.files = event.dataTransfer.files;
      this.send(form);
    });
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.send(form);
    });
  }
  send(form) {
    if (!form.reportValidity()) return;
    const bar = this.querySelector("progress");
    const told = this.querySelector("[data-sent]");
    const request = new XMLHttpRequest();
    request.open("POST", form.action);
    request.setRequestHeader("Accept", "application/json");
    request.upload.onprogress = (event) => {
      bar.hidden = false;
      bar.max = event.total || 1;
      bar.value = event.loaded;
      told.textContent = `Sending ${size(event.loaded)} of ${size(event.total)}`;
    };
    request.onload = () => {
      const answer = JSON.parse(request.responseText || "{}");
      if (request.status < 300 && answer.url) return location.assign(answer.url);
      told.textContent = answer.error?.message || `It was refused (${request.status}).`;
      bar.hidden = true;
    };
    request.onerror = () => (told.textContent = "The server did not take it. Nothing was imported.");
    request.send(new FormData(form));
  }

  async follow() {
    for (;;) {
      await new Promise((done) => setTimeout(done, EVERY));
      let job;
      try {
        const answer = await fetch(`/import/${this.dataset.job}.json`);
        if (!answer.ok) continue;
        job = await answer.json();
      } catch {
        continue; // the server is away; what it had read is stored
      }
      this.tell(job);
      if (!job.over && `${job.state} ${job.ahead}` !== this.dataset.state) return location.reload();
      if (job.over) {
        say(job.state === "done" ? "The import is done" : "The import has failed");
        return location.reload();
      }
    }
  }
  tell(job) {
    const put = (name, text) => (this.querySelector(`[data-${name}]`).textContent = text);
    const bar = this.querySelector("progress");
    bar.max = job.size || 1;
    bar.value = Math.min(job.read, job.size || 1);
    put("read", `${size(job.read)} of ${size(job.size)}`);
    put("events", count(job.events));
    put("pace", `${count(job.pace)}/s`);
    put("eta", job.eta_ms === null ? "–" : duration(job.eta_ms));
    put("rejected", count(job.rejected_total));
  }
}
customElements.define("ts-import", Import);
