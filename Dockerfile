# The book in a container, by the same lock as `make setup`. Nobody has built it yet: no machine of ours runs Docker.
#   docker build -t tres-book . && docker run --rm -p 127.0.0.1:8888:8888 tres-book
FROM python:3.11-slim
RUN apt-get update \
 && apt-get install -y --no-install-recommends chromium fonts-dejavu-core git make \
 && rm -rf /var/lib/apt/lists/*
WORKDIR /book
COPY . .
RUN make setup
EXPOSE 8888
# The address is open to the host alone where the port is published as above; the lab asks for its token.
CMD [".venv/bin/python", "-m", "jupyterlab", "--notebook-dir=.", "--ip=0.0.0.0", "--allow-root", "--no-browser"]
