# shellcheck shell=bash source=../common.sh
# repository FOLDER: the index by which apt installs from it.
repository() {
  need apt-utils=apt-ftparchive
  (cd "$1" && apt-ftparchive packages . >Packages && gzip -9nf <Packages >Packages.gz &&
    apt-ftparchive release . >Release.new && mv Release.new Release)
  printf 'deb [trusted=yes] file:%s ./\n' "$(realpath "$1")"
}
